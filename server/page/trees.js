// A topology, asked of the server level by level.

import { get } from "./api.js";
import { parseQuantity } from "./format.js";
import { Tree, boxLevels } from "./tree.js";

// The columns of all levels; `before`: the tree of the cycle before. `by`: what boxes are coloured by beside resources.
export async function levelsOf({ name, levels, domains: [root] }, before, by) {
  const answers = await Promise.all(boxLevels(levels).map((level) =>
    get(["topology", name], { level, format: "columns", classes: "none", by })));
  const tree = new Tree(name, levels);
  const numbers = (amounts) => Object.fromEntries(Object.entries(amounts ?? {}).map(([key, text]) => [key, [parseQuantity(text)]]));
  tree.add({
    names: [name], parents: [], parent: [], nodeCounts: [root.nodes],
    available: numbers(root.available), allocated: numbers(root.allocated),
  }, 0);
  answers.forEach((answer, index) => tree.add(answer, index + 1));
  return tree.finish(before);
}

// Without a topology all nodes stand in one box.
export async function flatTree(by) {
  const nodes = await get(["nodes"], { format: "columns", by });
  const tree = new Tree("all nodes", []);
  const sums = (columns) => Object.fromEntries(Object.entries(columns ?? {})
    .map(([name, values]) => [name, [values.reduce((sum, value) => sum + value, 0)]]));
  tree.add({
    names: ["all nodes"], parents: [], parent: [], nodeCounts: [nodes.names.length],
    available: sums(nodes.available), allocated: sums(nodes.allocated),
  }, 0);
  tree.flat = nodes;
  tree.cycle = nodes.cycle;
  return tree.finish();
}
