// What `trellis simulate -o html` writes: the figures of each configuration side by side, and the
// cluster over time.

import { chart } from "./chart.js";
import { $, fill, h } from "./dom.js";
import { duration, number, percent } from "./format.js";

const { configurations } = JSON.parse($("simulation").textContent);
const SHOWN_QUEUES = 12;

const FIGURES = [
  ["Gangs finished", ({ figures }) => `${number(figures.finished)} of ${number(figures.gangs)}`],
  ["Wait, mean", ({ figures }) => passed(figures.waitSeconds.mean)],
  ["Wait, p50", ({ figures }) => passed(figures.waitSeconds.p50)],
  ["Wait, p95", ({ figures }) => passed(figures.waitSeconds.p95)],
  ["Wait, p99", ({ figures }) => passed(figures.waitSeconds.p99)],
  ["Completion, mean", ({ figures }) => passed(figures.completionSeconds.mean)],
  ["Bounded slowdown, mean", ({ figures }) => number(figures.boundedSlowdown.mean)],
  ["GPUs in use", ({ figures }) => percent(figures.gpuUtilization)],
  ["GPUs stranded", ({ stranded }) => percent(stranded)],
  ["Evictions", ({ figures }) => number(figures.evictions)],
  ["GPU hours lost", ({ lostGpuHours }) => number(lostGpuHours)],
  ["Domains over the fewest", ({ domains, fewestDomains }) => number(fewestDomains ? domains / fewestDomains : 1)],
  ["Fairness of queues", ({ fairness }) => number(fairness)],
  ["Makespan", ({ figures }) => passed(figures.makespanSeconds)],
];

const passed = (seconds) => (seconds < 10 ? `${number(seconds)} s` : duration(Math.round(seconds)));

function table() {
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}), configurations.map(({ name }) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, FIGURES.map(([name, figure]) => h("tr", {}, h("th", { scope: "row" }, name),
      configurations.map((configuration) => h("td", {}, figure(configuration)))))));
}

// One measure over time, a chart for each configuration, all to the same scale.
function overTime(title, values, { warm = false, most = () => 0 } = {}) {
  const all = configurations.map((configuration) => values(configuration));
  const top = Math.max(...all.map((list) => Math.max(...list)), ...configurations.map(most));
  if (!(top > 0)) return null;
  return h("section", {}, h("h3", {}, title), configurations.map(({ name, times }, index) => chart({
    name, values: all[index], top, warm,
    figure: `most ${number(Math.max(...all[index]))}`,
    at: (at) => `after ${passed(times[at])}`,
    label: `${title} under ${name}: most ${number(Math.max(...all[index]))}`,
  })));
}

function waits() {
  const top = Math.max(...configurations.map(({ waits: list }) => Math.max(0, ...list)));
  if (!(top > 0)) return null;
  return h("section", {}, h("h3", {}, "Wait of each hundredth of the gangs, in seconds"), configurations.map(({ name, waits: list }) => chart({
    name, values: list, top, bars: true, warm: true, figure: `most ${passed(Math.max(...list))}`,
    at: (at) => `${at} % wait less`, label: `Waits under ${name}: most ${passed(Math.max(...list))}`,
  })));
}

function queueTable() {
  const rows = configurations.flatMap(({ name, figures }) => figures.queues.map((queue) => ({ name, queue })));
  if (rows.length === 0) return null;
  return h("section", {}, h("h3", {}, "Queues"), h("table", {},
    h("thead", {}, h("tr", {}, ["Configuration", "Queue", "Finished", "Wait, mean", "Wait, p95", "Slowdown", "GPU hours", "Evictions"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, rows.map(({ name, queue }) => h("tr", {}, [name, queue.name, `${number(queue.finished)} of ${number(queue.gangs)}`,
      passed(queue.waitSeconds.mean), passed(queue.waitSeconds.p95), number(queue.boundedSlowdown.mean), number(queue.gpuHours), number(queue.evictions),
    ].map((text) => h("td", {}, text)))))));
}

fill($("content"), table(),
  overTime("GPUs in use", ({ used }) => used, { most: ({ gpus }) => gpus }),
  overTime("GPUs stranded", ({ strandedGpus }) => strandedGpus, { warm: true }),
  overTime("Gangs that wait", ({ waiting }) => waiting, { warm: true }),
  waits(), queueTable(),
  configurations[0].queues.slice(0, SHOWN_QUEUES).map((queue, index) =>
    overTime(`GPUs in use by queue ${queue}`, ({ queueUsed }) => queueUsed[index])));
