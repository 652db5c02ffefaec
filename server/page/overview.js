// What the details show while nothing is selected: the last cycle.

import { h, meter, pill } from "./dom.js";
import { count, levelName, number, seconds, words } from "./format.js";
import { select, update } from "./state.js";

const SHOWN = 30;

export function overview(session) {
  const { summary } = session;
  return [
    h("h2", {}, `Cycle ${number(session.cycle)}`),
    h("p", { class: "sub" }, h("time", {}, session.now ?? ""), " · took ", seconds(session.durationSeconds)),
    errors(session.errors ?? []),
    warnings(session.warnings ?? []),
    summary && h("dl", { class: "figures" },
      figure("GPUs used", summary.gpusUsed, summary.gpus - summary.gpusClosed),
      summary.gpusClosed > 0 && h("div", {}, h("dt", {}, "GPUs idle on closed nodes"), h("dd", {}, number(summary.gpusClosed))),
      summary.workloads > 0 && figure("Workloads admitted", summary.workloadsAdmitted, summary.workloads),
      figure("Gangs placed", summary.gangsPlaced, summary.gangs),
      figure("Pods placed", summary.podsPlaced, summary.pods),
      summary.podsEvicted > 0 && h("div", {}, h("dt", {}, "Pods evicted"), h("dd", {}, number(summary.podsEvicted)))),
    gpus(session.gpus),
    waiting(session.waiting ?? []),
    times("Time by action", session.actions ?? [], session.durationSeconds),
    times("Time by plugin", session.plugins ?? [], session.durationSeconds),
    decided(session),
  ];
}

function figure(name, value, of) {
  return h("div", {}, h("dt", {}, name),
    h("dd", {}, number(value), h("small", {}, ` of ${number(of)}`)),
    meter(value / of, `${number(value)} of ${number(of)}`));
}

export function errors(list) {
  if (!list.length) return null;
  return h("section", { class: "errors" },
    h("h3", {}, `${count(list.length, "error")} in the input`),
    h("ul", {}, list.slice(0, SHOWN).map((text) => h("li", {}, text))),
    list.length > SHOWN && h("p", { class: "note" }, `and ${number(list.length - SHOWN)} more`));
}

function warnings(list) {
  if (!list.length) return null;
  return h("section", { class: "errors" }, h("h3", {}, "Of the input as a whole"),
    h("ul", {}, list.slice(0, SHOWN).map((text) => h("li", {}, text))));
}

const CAUSES = {
  cpu: "no CPUs left beside them", memory: "no memory left beside them",
  sharing: "parts of shared GPUs, too small", size: "too few on a node for a pod",
  rules: "nodes refuse the pods", topology: "domain too small for the gang",
  quota: "beyond the queues' quota",
};

const placeName = (level) => (level === "kubernetes.io/hostname" ? "node" : levelName(level));
const onePlace = (part) => `${number(Number((part * 100).toFixed(1)))} %`;

// What the free GPUs are good for.
function gpus(report) {
  if (!report || !(report.total > 0)) return null;
  const { total: all, ...causes } = report.stranded;
  const rows = Object.entries(causes).sort((a, b) => b[1] - a[1]);
  return h("section", { id: "gpus" }, h("h3", {}, "GPUs"),
    h("dl", { class: "figures" },
      h("div", {}, h("dt", {}, "Allocation rate"), h("dd", {}, onePlace(report.allocationRate))),
      h("div", {}, h("dt", {}, "Stranded"),
        h("dd", {}, number(all), h("small", {}, ` of ${number(report.free)} free`)),
        meter(report.free > 0 ? all / report.free : 0, `${number(all)} of ${number(report.free)}`, "warm")),
      report.mix.length > 0 && h("div", {}, h("dt", {}, "Fragmentation"), h("dd", {}, onePlace(report.fragmentation)))),
    rows.length > 0 && h("ul", { class: "bars" }, rows.map(([cause, amount]) => h("li", { class: "bar-row" },
      h("span", { class: "name" }, CAUSES[cause] ?? cause), h("span", { class: "count" }, count(amount, "GPU")),
      meter(amount / all, count(amount, "GPU"), "warm")))),
    report.largestGangs.length > 0 && h("p", { class: "note" }, "Largest gang in one ",
      report.largestGangs.map((gang, i) =>
        `${i > 0 ? "; " : ""}${placeName(gang.level)}: ${count(gang.gpus, "GPU")}, ${count(gang.pods, "pod")}`)));
}

function waiting(reasons) {
  if (!reasons.length) return null;
  const size = (reason) => reason.gangs + reason.workloads;
  const who = ({ gangs, workloads }) =>
    [gangs > 0 && count(gangs, "gang"), workloads > 0 && count(workloads, "workload")].filter(Boolean).join(", ");
  const most = Math.max(...reasons.map(size));
  return h("section", {}, h("h3", {}, "Why work waits"),
    h("ul", { class: "bars" }, reasons.map((reason) => h("li", {}, h("button", {
      type: "button", class: "row-button", key: `why-${reason.code}`,
      onclick: () => update({ tab: undefined, q: reason.code, status: undefined }),
    }, h("span", { class: "name" }, words(reason.code)),
    h("span", { class: "count" }, who(reason)),
    meter(size(reason) / most, who(reason), "warm"))))));
}

function times(title, list, whole) {
  const rows = list.filter((row) => row.seconds > 0).sort((a, b) => b.seconds - a.seconds);
  if (!rows.length) return null;
  const most = Math.max(whole ?? 0, rows[0].seconds);
  return h("section", {}, h("h3", {}, title),
    h("ul", { class: "bars" }, rows.slice(0, 8).map((row) => h("li", { class: "bar-row" },
      h("span", { class: "name" }, row.name), h("span", { class: "count" }, seconds(row.seconds)),
      meter(row.seconds / most, seconds(row.seconds))))));
}

function decided(session) {
  const pods = session.decided ?? [];
  const groups = new Map();
  for (const pod of pods) {
    const gang = pod.gang ?? `${pod.namespace}/${pod.name}`;
    const key = `${gang} ${pod.status} ${pod.action}`;
    if (!groups.has(key)) groups.set(key, { ...pod, gang, key, pods: 0 });
    groups.get(key).pods += 1;
  }
  const rows = [...groups.values()];
  const more = session.more ?? 0;
  return h("section", {}, h("h3", {}, "Decided in this cycle"),
    pods.length === 0 && h("p", { class: "note" }, "Nothing had to change."),
    h("ul", { class: "plain" }, rows.slice(0, SHOWN).map((row) => h("li", { class: "decision" },
      h("button", { type: "button", class: "link", key: `decided-${row.key}`, onclick: () => select("gang", row.gang.split("/")) }, row.gang),
      pill(row.status),
      h("span", { class: "what" }, row.pods === 1 && row.node
        ? h("button", { type: "button", class: "link quiet", onclick: () => select("node", [row.node]) }, row.node)
        : count(row.pods, "pod"), row.action && ` by ${row.action}`)))),
    more > 0 && h("p", { class: "note" }, `and ${count(more, "more pod")}`));
}
