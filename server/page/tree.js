// A topology as columns: domain 0 is the root, each level follows the one above. Single nodes are kept apart
// (nodes.js): there may be a hundred thousand of them.

import { byName } from "./format.js";

const HOSTNAME = "kubernetes.io/hostname";

// The levels that are drawn as boxes; a node is drawn as a node, also where it is a level.
export const boxLevels = (levels) => (levels.at(-1) === HOSTNAME ? levels.slice(0, -1) : levels);

export class Tree {
  constructor(name, levels) {
    this.name = name;
    this.levels = levels;
    this.boxLevels = boxLevels(levels);
    this.names = [name];
    this.paths = [[]];
    this.depth = [0];
    this.parent = [-1];
    this.nodeCount = [0];
    this.children = [[]];
    this.loose = [false];  // stands for the nodes of its parent that lack the next level's label
    this.byPath = new Map([["", 0]]);
    this.available = new Map();
    this.allocated = new Map();
    this.group = [];  // by box: the name of what it is coloured by
    this.age = [];
    this.maxNodes = 0;
  }

  get size() {
    return this.names.length;
  }

  // `rows`: the columns of one level. Parents come before children.
  add(rows, depth) {
    const first = this.size;
    const parents = rows.parents.map((path) => this.byPath.get(path.join("/")) ?? 0);
    for (let row = 0; row < rows.names.length; row += 1) {
      const parent = depth === 0 ? -1 : parents[rows.parent[row]];
      const at = depth === 0 ? 0 : first + row;
      if (depth > 0) {
        const path = [...rows.parents[rows.parent[row]], rows.names[row]];
        this.names.push(rows.names[row]);
        this.paths.push(path);
        this.depth.push(depth);
        this.parent.push(parent);
        this.children.push([]);
        this.loose.push(false);
        this.byPath.set(path.join("/"), at);
        this.children[parent].push(at);
      }
      this.nodeCount[at] = rows.nodeCounts[row];
      if (depth === this.boxLevels.length) this.maxNodes = Math.max(this.maxNodes, rows.nodeCounts[row]);
    }
    if (depth > 0) {
      for (let row = 0; row < rows.names.length; row += 1) {
        this.group[first + row] = rows.groups?.[rows.group?.[row]];
        this.age[first + row] = rows.ages?.[row];
      }
    }
    this.addColumns(this.available, rows.available, first, depth);
    this.addColumns(this.allocated, rows.allocated, first, depth);
  }

  addColumns(columns, rows, first, depth) {
    for (const [resource, values] of Object.entries(rows ?? {})) {
      if (!columns.has(resource)) columns.set(resource, []);
      const column = columns.get(resource);
      for (let row = 0; row < values.length; row += 1) column[depth === 0 ? 0 : first + row] = values[row];
    }
  }

  // After the last level: children in natural order, and boxes for nodes that stand in no child. Sorting takes
  // longest, so a tree of the same domains as `previous` takes over its order.
  finish(previous) {
    this.shape = this.paths.map((path) => path.join("/")).join("\n");
    const sorted = previous?.shape === this.shape;
    for (let at = this.size - 1; at >= 0; at -= 1) {
      const children = this.children[at];
      if (!children.length) continue;
      if (sorted) this.children[at] = previous.children[at].filter((child) => !previous.loose[child]);
      else children.sort((a, b) => byName(this.names[a], this.names[b]));
      const inside = children.reduce((sum, child) => sum + this.nodeCount[child], 0);
      if (inside < this.nodeCount[at]) this.addLoose(at, this.nodeCount[at] - inside);
    }
    this.resources = [...new Set([...this.available.keys(), ...this.allocated.keys()])].sort();
    return this;
  }

  addLoose(parent, nodes) {
    const at = this.size;
    this.names.push("–");
    this.paths.push(this.paths[parent]);
    this.depth.push(this.depth[parent] + 1);
    this.parent.push(parent);
    this.nodeCount.push(nodes);
    this.children.push([]);
    this.loose.push(true);
    for (const columns of [this.available, this.allocated]) {
      for (const column of columns.values()) {
        const inside = this.children[parent].reduce((sum, child) => sum + (column[child] ?? 0), 0);
        column[at] = (column[parent] ?? 0) - inside;
      }
    }
    this.children[parent].push(at);
  }

  // The children of a domain that has nothing below it are nodes.
  holdsNodes(at) {
    return this.children[at].length === 0;
  }

  used(at, resource) {
    return this.allocated.get(resource)?.[at] ?? 0;
  }

  total(at, resource) {
    return this.used(at, resource) + (this.available.get(resource)?.[at] ?? 0);
  }

  share(at, resource) {
    return this.used(at, resource) / this.total(at, resource);
  }

  levelOf(at) {
    return this.depth[at] === 0 ? "" : this.boxLevels[this.depth[at] - 1];
  }

  find(path) {
    return this.byPath.get(path.join("/"));
  }

  // The deepest domain on the way to `path`; the way to a node ends at its box.
  nearest(path) {
    for (let length = path.length; length > 0; length -= 1) {
      const at = this.byPath.get(path.slice(0, length).join("/"));
      if (at !== undefined) return at;
    }
    return 0;
  }

  contains(outer, at) {
    while (at > 0 && at !== outer) at = this.parent[at];
    return at === outer;
  }
}

// What the picture is coloured by unless the user chooses: GPUs, else CPUs.
export function defaultResource(resources) {
  return resources.find((name) => name === "nvidia.com/gpu")
    ?? resources.find((name) => /(^|[/.-])gpu$/.test(name))
    ?? resources.find((name) => name === "cpu") ?? resources[0] ?? "cpu";
}
