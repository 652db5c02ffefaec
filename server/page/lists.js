// Queues and ClusterQueues, and the tabs of the lists.

import { $, h, meter, show } from "./dom.js";
import { byName, count, number, parseQuantity, resourceName } from "./format.js";
import { isSelected, select, state, update } from "./state.js";

// ---- queues

const NAMES = { gpu: "GPUs", cpu: "CPUs", memory: "memory" };

export function queueAmount(resource, value) {
  if (value < 0) return "∞";
  if (resource === "cpu") return number(value / 1000);
  if (resource === "memory") return value >= 1000 ? `${number(Math.round(value / 100) / 10)} GB` : `${number(value)} MB`;
  return number(value);
}

export const queueResource = (resource) => NAMES[resource] ?? resource;

export function showQueues({ queues, clusterQueues = [], cohorts = [] }) {
  show($("panel-queues"), [queues, clusterQueues, cohorts, state.select], () => {
    if (!queues.length && !clusterQueues.length) return h("p", { class: "note" }, "No queues: every gang may take what it needs.");
    const depth = new Map();
    for (const queue of queues) depth.set(queue.name, (depth.get(queue.parent) ?? -1) + 1);
    return [
      h("ul", { class: "queues" }, inTree(queues).map((queue) => queueRow(queue, depth.get(queue.name)))),
      quotaList("ClusterQueues", clusterQueues), quotaList("Cohorts", cohorts),
    ];
  });
}

// ---- Kueue's queues: what they hold of each flavor

function quotaList(title, lines) {
  if (!lines.length) return null;
  return h("section", { class: "quotas" }, h("h3", {}, title),
    h("ul", {}, lines.map((line) => h("li", { "data-quotas": line.name },
      h("span", { class: "name" }, line.name, (line.cohort ?? line.parent) && h("i", {}, ` in ${line.cohort ?? line.parent}`)),
      "pending" in line && h("span", { class: "what" }, `${number(line.holding)} holding, ${number(line.pending)} waiting`, line.active ? "" : ", admits nothing"),
      line.quotas.map((quota) => quotaRow(quota))))));
}

function quotaRow({ flavor, resource, nominal, used }) {
  const text = `${used} of ${nominal} ${resourceName(resource)}`;
  return h("div", { class: "bar-row" }, h("span", { class: "name" }, flavor), h("span", { class: "count" }, text),
    meter(parseQuantity(used) / parseQuantity(nominal), text));
}

// Each queue followed by its own children.
function inTree(queues) {
  const below = new Map();
  const names = new Set(queues.map((queue) => queue.name));
  for (const queue of queues) {
    const parent = names.has(queue.parent) ? queue.parent : "";
    below.set(parent, [...(below.get(parent) ?? []), queue]);
  }
  const walk = (name) => (below.get(name) ?? []).sort((a, b) => byName(a.name, b.name))
    .flatMap((queue) => [queue, ...walk(queue.name)]);
  return walk("");
}

function queueRow(queue, depth) {
  const gpu = queue.resources?.gpu ?? {};
  const scale = Math.max(gpu.quota > 0 ? gpu.quota : 0, gpu.allocated ?? 0, gpu.requested ?? 0) || 1;
  const chosen = isSelected("queue", [queue.name]);
  return h("li", { css: { "--depth": String(depth) } }, h("button", {
    type: "button", class: "row-button", key: `queue-${queue.name}`, "aria-pressed": String(chosen),
    onclick: () => select("queue", [queue.name]),
  },
  h("span", { class: "name" }, queue.name),
  h("span", { class: "count" }, `${queueAmount("gpu", gpu.allocated ?? 0)} of ${queueAmount("gpu", gpu.quota ?? -1)} GPUs`),
  meter((gpu.allocated ?? 0) / scale, `${queueAmount("gpu", gpu.allocated ?? 0)} GPUs allocated`),
  h("span", { class: "what" }, count(queue.gangs ?? 0, "gang"), queue.waiting ? `, ${number(queue.waiting)} waiting` : "")));
}

// ---- the tabs

const TABS = ["gangs", "workloads", "nodes", "queues"];

// The tab of workloads exists where there are workloads.
export function showTabs(workloads) {
  $("tab-workloads").hidden = !workloads && state.tab !== "workloads";
  for (const name of TABS) {
    const on = (state.tab ?? "gangs") === name;
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(`panel-${name}`).hidden = !on;
  }
}

export function listenTabs() {
  const choose = (name) => update({ tab: name === TABS[0] ? undefined : name, status: undefined, q: undefined });
  for (const name of TABS) {
    $(`tab-${name}`).addEventListener("click", () => choose(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const seen = TABS.filter((other) => !$(`tab-${other}`).hidden);
      const other = seen[(seen.indexOf(name) + step + seen.length) % seen.length];
      choose(other);
      $(`tab-${other}`).focus();
    });
  }
}
