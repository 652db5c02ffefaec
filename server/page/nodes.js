// The nodes of boxes, fetched when they are first big enough to be seen and again when a cycle has changed them.
// What was fetched before stays in the picture until the new answer is there.

import { get } from "./api.js";
import { byName } from "./format.js";

const MAX_ASKED = 3;        // at once
const MAX_KEPT = 60000;     // nodes
const MAX_TOGETHER = 20000; // nodes in one question
const FEW = 4;              // boxes of one parent that are asked for one by one

export class NodeStore {
  constructor(onArrival) {
    this.onArrival = onArrival;
    this.by = undefined;  // what nodes are coloured by beside resources
    this.clear();
  }

  clear() {
    this.kept = new Map();   // path of the box -> {names, used, total, closed, cycle}
    this.asked = new Set();
    this.failed = new Map();
    this.nodes = 0;
    this.generation = (this.generation ?? 0) + 1;
  }

  get(tree, at) {
    return this.kept.get(keyOf(tree, at));
  }

  // Asks for the boxes of `wanted` that are not there or older than `cycle`.
  ensure(tree, wanted, cycle) {
    const missing = wanted.filter((at) => {
      const key = keyOf(tree, at);
      const entry = this.kept.get(key);
      return (entry?.cycle !== cycle || entry.by !== this.by) && !(this.failed.get(key) > Date.now());
    });
    const isOld = (at) => (this.kept.has(keyOf(tree, at)) ? 1 : 0);
    missing.sort((a, b) => isOld(a) - isOld(b));
    for (const at of together(tree, missing)) {
      if (this.asked.size >= MAX_ASKED) return;
      this.ask(tree, at, cycle);
    }
  }

  async ask(tree, at, cycle) {
    const path = tree.paths[at];
    const key = path.join("/");
    if (this.asked.has(key)) return;
    this.asked.add(key);
    const { generation, by } = this;
    try {
      const answer = tree.flat
        ? await get(["nodes"], { format: "columns", by })
        : await get(["topology", tree.name], { level: "node", parent: path, format: "columns", classes: "none", by });
      if (generation === this.generation) this.take(tree, at, answer, Math.max(cycle, answer.cycle), by);
    } catch {
      for (const box of boxesBelow(tree, at)) this.failed.set(keyOf(tree, box), Date.now() + 3000);
    } finally {
      if (generation === this.generation) {
        this.asked.delete(key);
        this.onArrival();
      }
    }
  }

  take(tree, at, answer, cycle, by) {
    const rows = new Map();
    const parents = tree.flat ? [] : answer.parents.map((path) => boxOf(tree, path));
    for (let row = 0; row < answer.names.length; row += 1) {
      const box = tree.flat ? 0 : parents[answer.parent[row]];
      if (!rows.has(box)) rows.set(box, []);
      rows.get(box).push(row);
    }
    for (const box of boxesBelow(tree, at)) {
      const own = (rows.get(box) ?? []).sort((a, b) => byName(answer.names[a], answer.names[b]));
      const key = keyOf(tree, box);
      this.nodes += own.length - (this.kept.get(key)?.names.length ?? 0);
      this.kept.delete(key);  // to the end: the order is that of arrival
      this.kept.set(key, pick(answer, own, cycle, by));
    }
    for (const [key, entry] of this.kept) {
      if (this.nodes <= MAX_KEPT || this.kept.size <= 1 || entry.cycle === cycle) break;
      this.nodes -= entry.names.length;
      this.kept.delete(key);
    }
  }
}

// Where many boxes of a parent are wanted, the parent is asked for instead; and so on upwards.
function together(tree, boxes) {
  const byParent = new Map();
  for (const at of boxes) {
    const parent = tree.parent[at];
    if (!byParent.has(parent)) byParent.set(parent, []);
    byParent.get(parent).push(at);
  }
  let climbed = false;
  const next = [...byParent].flatMap(([parent, group]) => {
    const joins = parent >= 0 && (group.length > FEW || group.some((at) => tree.loose[at]))
      && tree.nodeCount[parent] <= MAX_TOGETHER;
    climbed ||= joins;
    return joins ? [parent] : group;
  });
  return climbed ? together(tree, next) : next;
}

// A box of loose nodes has its parent's path.
const keyOf = (tree, at) => tree.paths[at].join("/") + (tree.loose[at] ? "/–" : "");

function boxesBelow(tree, at) {
  if (tree.holdsNodes(at)) return [at];
  return tree.children[at].flatMap((child) => boxesBelow(tree, child));
}

// The box that draws the nodes directly below `path`.
function boxOf(tree, path) {
  const at = tree.nearest(path);
  if (tree.holdsNodes(at)) return at;
  return tree.children[at].find((child) => tree.loose[child]) ?? at;
}

function pick(answer, rows, cycle, by) {
  const entry = {
    cycle, by, group: rows.map((row) => answer.groups?.[answer.group[row]]), age: rows.map((row) => answer.ages?.[row]),
    names: rows.map((row) => answer.names[row]), closed: rows.map((row) => answer.closed?.[row] ?? 0),
    available: {}, unavailable: {}, allocated: {},
  };
  for (const side of ["available", "unavailable", "allocated"]) {
    for (const [resource, column] of Object.entries(answer[side] ?? {})) {
      entry[side][resource] = Float64Array.from(rows, (row) => column[row] ?? 0);
    }
  }
  return entry;
}

export const nodeUsed = (entry, index, resource) => entry.allocated[resource]?.[index] ?? 0;
export const nodeTotal = (entry, index, resource) =>
  nodeUsed(entry, index, resource) + (entry.available[resource]?.[index] ?? 0) + (entry.unavailable[resource]?.[index] ?? 0);
