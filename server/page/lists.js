// Gangs and queues. There may be thousands of gangs: only the rows in sight exist.

import { $, h, meter, pill, show } from "./dom.js";
import { byName, count, levelName, number, words } from "./format.js";
import { isSelected, select, state, update } from "./state.js";

const ROW = 50;
const SPARE = 4;
// Those that want attention come first.
const ORDER = ["Pending", "Evicted", "Releasing", "Pipelined", "Scheduled", "Running", "Finished", "Succeeded", "Failed"];

const rank = (status) => (ORDER.indexOf(status) + 1 || ORDER.length + 1);
export const gangKey = (gang) => `${gang.namespace}/${gang.name}`;

export class GangList {
  constructor() {
    this.box = $("gangs-list");
    this.rows = [];
    this.active = -1;
    this.spacer = h("div", { class: "spacer", role: "presentation" });
    this.box.append(this.spacer);
    this.box.addEventListener("scroll", () => this.window());
    new ResizeObserver(() => this.window()).observe(this.box);
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (row) this.choose(Number(row.dataset.index));
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    $("gangs-filter").addEventListener("input", (event) => update({ q: event.target.value || undefined }));
    $("gangs-filter").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.box.focus();
      this.move(0);
    });
  }

  // `answer`: /debug/gangs, which is in order of namespace and name.
  set(answer) {
    this.answer = answer;
    this.sorted = [...answer.gangs].sort((a, b) => rank(a.status) - rank(b.status));
    this.refresh();
  }

  refresh() {
    if (!this.sorted) return;
    const filter = $("gangs-filter");
    if (document.activeElement !== filter) filter.value = state.q ?? "";
    const terms = (state.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.sorted.filter((gang) => terms.every((term) => textOf(gang).includes(term)));
    this.rows = state.status ? found.filter((gang) => gang.status === state.status) : found;
    this.active = this.rows.findIndex((gang) => isSelected("gang", [gang.namespace, gang.name]));
    this.chips(found);
    this.spacer.style.height = `${this.rows.length * ROW}px`;
    const more = this.answer.more ?? 0;
    const note = $("gangs-note");
    note.hidden = this.rows.length > 0 && more === 0;
    note.textContent = more > 0
      ? `${count(this.rows.length, "gang")} of the first ${number(this.answer.gangs.length)}; ${number(more)} more are not listed. Choose a status to ask for those alone.`
      : this.answer.gangs.length ? "No gang matches." : "No gangs.";
    this.window();
  }

  chips(found) {
    const counts = new Map();
    for (const gang of found) counts.set(gang.status, (counts.get(gang.status) ?? 0) + 1);
    if (state.status && !counts.has(state.status)) counts.set(state.status, 0);
    const known = [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
    const more = this.answer.more > 0 ? "+" : "";
    show($("gangs-status"), [known, state.status, found.length, more], () => [
      this.chip("All", undefined, `${number(found.length)}${state.status ? "" : more}`),
      known.map(([status, gangs]) => this.chip(status, status, `${number(gangs)}${this.answer.complete?.includes(status) ? "" : more}`)),
    ]);
  }

  chip(text, status, gangs) {
    return h("button", {
      type: "button", class: `chip ${(status ?? "all").toLowerCase()}`, key: `status-${status}`,
      "aria-pressed": String(state.status === status), onclick: () => update({ status }),
    }, text, h("b", {}, gangs));
  }

  // Draws the rows in sight.
  window() {
    const height = this.box.clientHeight;
    if (!height) return;
    const from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const to = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + height) / ROW) + SPARE);
    const seen = this.rows.slice(from, to);
    show(this.spacer, [from, this.rows.length, this.active, seen], () =>
      seen.map((gang, at) => this.row(gang, from + at)));
    if (this.active >= from && this.active < to) this.box.setAttribute("aria-activedescendant", `gang-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(gang, index) {
    return h("div", {
      class: "row", role: "option", id: `gang-${index}`, "data-index": String(index), "data-gang": gangKey(gang),
      "aria-selected": String(index === this.active), "aria-posinset": String(index + 1),
      "aria-setsize": String(this.rows.length), css: { top: `${index * ROW}px` },
    },
    h("span", { class: "name" }, h("i", {}, `${gang.namespace}/`), gang.name),
    h("span", { class: "count" }, `${number(gang.placed)}/${number(gang.pods)}`),
    h("span", { class: "what", title: whatOf(gang) }, whatOf(gang)),
    pill(gang.status));
  }

  choose(index) {
    const gang = this.rows[index];
    if (!gang) return;
    select("gang", [gang.namespace, gang.name]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.move(steps[event.key]);
  }

  move(step) {
    const next = Math.max(0, Math.min(this.rows.length - 1, this.active < 0 ? 0 : this.active + step));
    if (!this.rows.length) return;
    this.choose(next);
    this.reveal(next);
  }

  reveal(index) {
    const top = index * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
  }
}

function whatOf(gang) {
  const [reason] = gang.reasons ?? [];
  if (reason) return reason.message || words(reason.code);
  const { placement } = gang;
  if (placement?.domain) return `${levelName(placement.level)} ${placement.domain.join("/")}`;
  return gang.queue ? `queue ${gang.queue}` : "";
}

const texts = new WeakMap();
function textOf(gang) {
  if (!texts.has(gang)) {
    const codes = (gang.reasons ?? []).map((reason) => reason.code).join(" ");
    const queue = gang.queue ? `queue:${gang.queue}` : "";
    texts.set(gang, `${gangKey(gang)} ${queue} ${whatOf(gang)} ${codes}`.toLowerCase());
  }
  return texts.get(gang);
}

// ---- queues

const NAMES = { gpu: "GPUs", cpu: "CPUs", memory: "memory" };

export function queueAmount(resource, value) {
  if (value < 0) return "∞";
  if (resource === "cpu") return number(value / 1000);
  if (resource === "memory") return value >= 1000 ? `${number(Math.round(value / 100) / 10)} GB` : `${number(value)} MB`;
  return number(value);
}

export const queueResource = (resource) => NAMES[resource] ?? resource;

export function showQueues(queues) {
  show($("panel-queues"), [queues, state.select], () => {
    if (!queues.length) return h("p", { class: "note" }, "No queues: every gang may take what it needs.");
    const depth = new Map();
    for (const queue of queues) depth.set(queue.name, (depth.get(queue.parent) ?? -1) + 1);
    return h("ul", { class: "queues" }, inTree(queues).map((queue) => queueRow(queue, depth.get(queue.name))));
  });
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

// ---- the two tabs

export function showTabs() {
  for (const name of ["gangs", "queues"]) {
    const on = (state.tab ?? "gangs") === name;
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(`panel-${name}`).hidden = !on;
  }
}

export function listenTabs() {
  const names = ["gangs", "queues"];
  for (const name of names) {
    $(`tab-${name}`).addEventListener("click", () => update({ tab: name === "gangs" ? undefined : name }));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = names[1 - names.indexOf(name)];
      update({ tab: other === "gangs" ? undefined : other });
      $(`tab-${other}`).focus();
    });
  }
}

