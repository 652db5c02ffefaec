// The last cycles: what was used, waited and was evicted, as small charts; and the last events.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { h } from "./dom.js";
import { ago, count, number } from "./format.js";
import { select } from "./state.js";

const KEPT = 1000;
const EVENTS = 12;

export class History {
  constructor() {
    this.cycles = [];
    this.events = [];
  }

  // Asks for what is new. A server that was started again begins at 1 again.
  async load(cycle) {
    const last = this.cycles.at(-1)?.cycle ?? 0;
    if (last > cycle) Object.assign(this, { cycles: [], events: [] });
    const answer = await get(["history"], { after: last > cycle ? 0 : last, limit: KEPT });
    this.cycles = [...this.cycles, ...answer.cycles].slice(-KEPT);
    this.events = [...this.events, ...answer.events].slice(-KEPT);
  }

  // What has to change for it to be shown again.
  get version() {
    return this.cycles.at(-1)?.cycle ?? 0;
  }
}

const CHARTS = [
  { name: "GPUs used", value: (cycle) => cycle.gpusUsed, top: (cycles) => Math.max(...cycles.map((cycle) => cycle.gpus)), unless: (cycles) => cycles.every((cycle) => !cycle.gpus) },
  { name: "Pods placed", value: (cycle) => cycle.podsPlaced, unless: (cycles) => cycles.some((cycle) => cycle.gpus) },
  { name: "Gangs waiting", value: (cycle) => cycle.gangsWaiting, warm: true },
  { name: "Workloads waiting", value: (cycle) => cycle.workloadsWaiting, warm: true, unless: (cycles) => cycles.every((cycle) => !cycle.workloadsWaiting && !cycle.workloadsAdmitted) },
  { name: "Pods evicted", value: (cycle) => cycle.podsEvicted, warm: true, bars: true },
  { name: "Workloads admitted", value: (cycle) => cycle.workloadsAdmitted, bars: true, unless: (cycles) => cycles.every((cycle) => !cycle.workloadsAdmitted) },
];

export function historySection({ cycles }) {
  if (cycles.length < 2) return null;
  const [first, last] = [cycles[0], cycles.at(-1)];
  return h("section", { id: "history" },
    h("h3", {}, `The last ${count(cycles.length, "cycle")}`, h("small", {}, `of ${ago(first.now, last.now)}`)),
    CHARTS.filter((one) => !one.unless?.(cycles)).map((one) => drawn(one, cycles)));
}

// Under the pointer: the figure of that cycle.
function drawn({ name, value, top, bars, warm }, cycles) {
  const values = cycles.map(value);
  const now = number(values.at(-1));
  const sum = values.reduce((all, one) => all + one, 0);
  return chart({
    name, values, bars, warm, top: top?.(cycles) ?? 0,
    figure: bars ? `${number(sum)} in all` : now,
    at: (index) => `cycle ${number(cycles[index].cycle)}`,
    label: `${name} in the last ${values.length} cycles: least ${number(Math.min(...values))}, most ${number(Math.max(...values))}, now ${now}`,
  });
}

export function eventsSection({ events, cycles }) {
  const now = cycles.at(-1)?.now;
  return h("section", { id: "events" }, h("h3", {}, "What happened last"),
    events.length === 0 && h("p", { class: "note" }, "Nothing was decided yet."),
    h("ul", { class: "plain" }, events.slice(-EVENTS).reverse().map((event) => h("li", { class: "decision" },
      h("button", { type: "button", class: "link", key: `event-${event.cycle}-${event.name}-${event.what}`, onclick: () => select(event.kind, event.name.split("/")) }, event.name),
      h("span", { class: "count", title: `cycle ${event.cycle}, ${event.now}` }, `${ago(event.now, now)} ago`),
      h("span", { class: "what" }, `${event.what}: ${count(event.pods, "pod")}`, event.place && ` in ${event.place}`)))));
}
