// Words around the map: where it is zoomed to, what its colours mean, what is under the pointer.

import { palette } from "./colors.js";
import { h, meter, show } from "./dom.js";
import { amount, count, duration, levelName, percent, resourceName } from "./format.js";
import { nodeTotal, nodeUsed } from "./nodes.js";
import { groupsShown } from "./shades.js";

const NAMED = 8;  // gangs or queues in the legend

export function showCrumbs(box, tree, at, onGo) {
  const way = [];
  for (let here = at; here >= 0; here = tree.parent[here]) way.unshift(here);
  show(box, [tree.name, tree.shape.length, way], () => h("ol", {}, way.map((here, step) => h("li", {},
    h("button", { type: "button", class: "link", key: `crumb-${here}`, "aria-current": step === way.length - 1 ? "location" : null, onclick: () => onGo(here) },
      tree.names[here])))));
}

export function showLegend(box, tree, map, resource) {
  const colors = palette();
  const waits = map.marks.some((mark) => !mark.good);
  const placed = map.marks.some((mark) => mark.good);
  const { by } = map;
  const groups = by && by !== "age" ? groupsShown(tree, by) : [];
  const pinned = map.pins.length > 0;
  const ramp = (what, from, to) => h("span", { class: "key" }, what, h("span", { class: "end" }, from),
    h("span", { class: "ramp", role: "img", "aria-label": "from pale to strong", css: { background: `linear-gradient(90deg, ${colors.stops.join(", ")})` } }),
    h("span", { class: "end" }, to));
  show(box, [colors.name, resource, waits, placed, pinned, by, groups], () => [
    !by && ramp(`${resourceName(resource)} in use`, "0 %", "100 %"),
    by === "age" && ramp("age of the oldest pod", "1 min", "30 d"),
    groups.slice(0, NAMED).map(({ name, step }) => name !== "closed" && h("span", { class: "key" },
      h("span", { class: "swatch", css: { background: colors.steps[step] ?? colors.none } }), name)),
    groups.length > NAMED && h("span", { class: "key" }, `and ${groups.length - NAMED} more`),
    h("span", { class: "key" }, h("span", { class: "swatch closed" }), "closed"),
    waits && h("span", { class: "key" }, h("span", { class: "swatch near" }), "nearly fits: takes/needs"),
    (placed || pinned) && h("span", { class: "key" }, h("span", { class: "swatch placed" }), pinned ? "its nodes" : "its place"),
  ]);
}

// "gang research/vision", "oldest pod 3 h"; "" where there is none.
function groupText(by, group, age) {
  if (by === "age") return age >= 0 ? `oldest pod ${duration(age)}` : "";
  return group === undefined ? "" : `${by} ${group}`;
}

function factsOf(map, tree, resource, { at, node }) {
  const entry = node >= 0 ? map.store.get(tree, at) : null;
  if (node >= 0 && !entry) return null;
  const used = entry ? nodeUsed(entry, node, resource) : tree.used(at, resource);
  const total = entry ? nodeTotal(entry, node, resource) : tree.total(at, resource);
  return {
    kind: entry ? "node" : tree.loose[at] ? "without a level" : levelName(tree.levelOf(at)),
    name: entry ? entry.names[node] : tree.loose[at] ? "nodes that lack the next level" : tree.names[at],
    path: entry ? tree.paths[at] : tree.paths[at].slice(0, -1),
    nodes: entry ? 1 : tree.nodeCount[at], closed: Boolean(entry?.closed[node]), used, total,
    group: map.by && groupText(map.by, entry ? entry.group[node] : tree.group[at], entry ? entry.age[node] : tree.age[at]),
  };
}

// One sentence for a screen reader.
export function spotText(map, tree, resource, spot) {
  const facts = factsOf(map, tree, resource, spot);
  if (!facts) return "";
  const nodes = facts.kind === "node" ? (facts.closed ? ", takes no new pods" : "") : `, ${count(facts.nodes, "node")}`;
  return `${facts.kind} ${facts.name}: ${amount(resource, facts.used)} of ${amount(resource, facts.total)} ${resourceName(resource)} used${nodes}`;
}

export function showTip(box, map, tree, resource, spot, x, y) {
  const facts = spot && factsOf(map, tree, resource, spot);
  box.hidden = !facts;
  if (!facts) return;
  const mark = spot.node < 0 ? map.marks.find(({ at }) => at === spot.at) : null;
  show(box, [facts, mark?.text, resource], () => [
    h("p", { class: "kind" }, facts.kind, facts.path.length > 0 && ` in ${facts.path.join("/")}`),
    h("p", { class: "name" }, facts.name),
    meter(facts.used / facts.total),
    h("p", {}, `${amount(resource, facts.used)} of ${amount(resource, facts.total)} ${resourceName(resource)}, ${percent(facts.used / facts.total)}`),
    facts.kind !== "node" && h("p", { class: "what" }, count(facts.nodes, "node")),
    facts.group && h("p", { class: "what" }, facts.group),
    facts.closed && h("p", { class: "what" }, "takes no new pods"),
    mark && !mark.good && h("p", { class: "what warm" }, `takes ${mark.text.replace("/", " of ")} pods`),
  ]);
  const room = { x: map.width - box.offsetWidth - 8, y: map.height - box.offsetHeight - 8 };
  const left = x + 16 > room.x ? x - box.offsetWidth - 12 : x + 16;
  const top = y + 18 > room.y ? y - box.offsetHeight - 12 : y + 18;
  box.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`;
}
