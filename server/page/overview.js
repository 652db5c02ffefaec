// What the details show while nothing is selected: what an operator needs first, then the last cycles, and last the
// times of the last cycle.

import { h, meter, span } from "./dom.js";
import { ago, count, levelName, number, seconds, words } from "./format.js";
import { eventsSection, historySection } from "./history.js";
import { select, update } from "./state.js";

const SHOWN = 30;
const LONGEST = 5;

export function overview(session, history) {
  return [
    h("h2", {}, `Cycle ${number(session.cycle)}`),
    h("p", { class: "sub" }, h("time", {}, session.now ?? ""), " · took ", seconds(session.durationSeconds)),
    errors(session.errors ?? []),
    warnings(session.warnings ?? []),
    largest(session.gpus),
    longest(session.longestWaiting ?? [], session.now),
    starts(session.appointments ?? [], session.now),
    stranded(session.gpus),
    waiting(session.waiting ?? []),
    historySection(history),
    eventsSection(history),
    times("Time by action", session.actions ?? [], session.durationSeconds),
    times("Time by plugin", session.plugins ?? [], session.durationSeconds),
  ];
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
const onePlace = (part) => `${number(Number((part * 100).toFixed(1)))}\u00a0%`;

// What could still come.
function largest(report) {
  if (!report || !(report.total > 0)) return null;
  return h("section", { id: "largest" }, h("h3", {}, "Largest gang that fits now"),
    report.largestGangs.length === 0 ? h("p", { class: "note" }, "No GPU is free for a gang.")
      : h("dl", { class: "figures" }, report.largestGangs.map((gang) => h("div", {},
        h("dt", {}, `in one ${placeName(gang.level)}`),
        h("dd", {}, count(gang.gpus, "GPU"), h("small", {}, count(gang.pods, "pod")))))));
}

// Who waits, and since when.
function longest(waiters, now) {
  return h("section", { id: "longest" }, h("h3", {}, "Waits longest"),
    waiters.length === 0 && h("p", { class: "note" }, "Nothing waits."),
    h("ul", { class: "plain" }, waiters.slice(0, LONGEST).map((one) => h("li", { class: "decision" },
      h("button", { type: "button", class: "link", key: `longest-${one.kind}-${one.namespace}/${one.name}`, onclick: () => select(one.kind, [one.namespace, one.name]) },
        `${one.namespace}/${one.name}`),
      h("b", { class: "waits", title: one.waitingSince ? `since ${one.waitingSince}` : "its objects have no creationTimestamp" },
        one.waitingSince ? ago(one.waitingSince, now) : "unknown"),
      h("span", { class: "what" }, one.message)))));
}

// When gangs start at the latest: on one axis from now to the last end that is known, or to the last start.
function starts(appointments, now) {
  if (!appointments.length) return null;
  const from = Date.parse(now);
  const last = Math.max(...appointments.map(({ start, end }) => Date.parse(end ?? start)), from + 1);
  const place = (time) => Math.max(0, (Date.parse(time) - from) / (last - from));
  return h("section", { id: "starts" }, h("h3", {}, "Starts by appointment", h("small", {}, `the next ${ago(now, new Date(last).toISOString())}`)),
    h("ul", { class: "plain" }, appointments.map(({ namespace, name, start, end, message }) => h("li", { class: "decision" },
      h("button", { type: "button", class: "link", key: `start-${namespace}/${name}`, onclick: () => select("gang", [namespace, name]) }, `${namespace}/${name}`),
      h("b", { class: "count", title: start }, `in ${ago(now, start)}`),
      span(place(start), end ? place(end) : 1, end ? `for ${ago(start, end)}` : "until it ends"),
      h("span", { class: "what" }, message)))));
}

// What free GPUs are good for.
function stranded(report) {
  if (!report || !(report.total > 0)) return null;
  const { total: all, ...causes } = report.stranded;
  const rows = Object.entries(causes).sort((a, b) => b[1] - a[1]);
  return h("section", { id: "gpus" }, h("h3", {}, "Stranded GPUs"),
    h("p", { class: "note" }, `${number(all)} of ${number(report.free)} free GPUs are stranded; `,
      `allocation rate ${onePlace(report.allocationRate)}`, report.mix.length > 0 && `, fragmentation ${onePlace(report.fragmentation)}`),
    rows.length > 0 && h("ul", { class: "bars" }, rows.map(([cause, amount]) => h("li", { class: "bar-row" },
      h("span", { class: "name" }, CAUSES[cause] ?? cause), h("span", { class: "count" }, count(amount, "GPU")),
      meter(amount / all, count(amount, "GPU"), "warm")))));
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
      onclick: () => update({ tab: reason.gangs ? undefined : "workloads", q: reason.code, status: undefined }),
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
