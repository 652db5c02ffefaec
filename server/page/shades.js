// What a box or a node is coloured by beside the use of a resource: its gang, its queue, its state, or its age.

import { CATEGORIES, STEPS, stepOf } from "./colors.js";
import { nodeTotal, nodeUsed } from "./nodes.js";

export const GROUPINGS = ["gang", "queue", "state", "age"];

// Fixed colours, so that states mean the same everywhere; the categories are violet and orange.
const STATES = { free: 0, "in part": 26, full: 56, leaving: STEPS + 1, promised: STEPS, closed: -1 };
const YOUNGEST_S = 60;
const OLDEST_S = 30 * 86400;

const known = new Map();

// Each name keeps its colour while the page is open.
function stepOfName(name) {
  if (name === undefined) return -1;
  if (!known.has(name)) known.set(name, STEPS + (known.size % CATEGORIES));
  return known.get(name);
}

const stepOfAge = (age) => (age >= 0 ? stepOf(Math.log(Math.max(1, age / YOUNGEST_S)) / Math.log(OLDEST_S / YOUNGEST_S)) : -1);

function stepOfGroup(by, { group, age }) {
  if (by === "age") return stepOfAge(age ?? -1);
  return by === "state" ? STATES[group] ?? -1 : stepOfName(group);
}

// The step in the palette; -1: no colour.
export function boxStep(tree, at, resource, by) {
  return by ? stepOfGroup(by, { group: tree.group[at], age: tree.age[at] }) : stepOf(tree.share(at, resource));
}

export function nodeStep(entry, index, resource, by) {
  if (!by) return stepOf(nodeUsed(entry, index, resource) / nodeTotal(entry, index, resource));
  return stepOfGroup(by, { group: entry.group?.[index], age: entry.age?.[index] });
}

// What the legend names: [{name, step}], the most frequent first.
export function groupsShown(tree, by) {
  if (by === "state") return Object.entries(STATES).map(([name, step]) => ({ name, step }));
  const counts = new Map();
  tree.group.forEach((name) => name !== undefined && counts.set(name, (counts.get(name) ?? 0) + 1));
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => ({ name, step: stepOfName(name) }));
}
