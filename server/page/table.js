// The domains as a plain table: the same as the map, for those who read rather than look.

import { $, h, meter, show } from "./dom.js";
import { amount, byName, count, levelName, number, percent, resourceName } from "./format.js";
import { nodeTotal, nodeUsed } from "./nodes.js";
import { isSelected, select } from "./state.js";

const PAGE = 100;
const COLUMNS = ["nvidia.com/gpu", "cpu", "memory"];

export class DomainTable {
  constructor(map) {
    this.map = map;
    this.box = $("table");
    this.order = { key: "name", down: false };
    this.limit = PAGE;
    this.level = null;  // null: the deepest below where the user is
  }

  // `at`: the box that the user has zoomed to.
  show(tree, at, resource) {
    if (this.shownTree !== tree.name || this.at !== at) this.limit = PAGE;
    this.shownTree = tree.name;
    this.at = at;
    const resources = [...new Set([resource, ...COLUMNS])].filter((name) => tree.resources.includes(name));
    const inner = tree.holdsNodes(at);
    const levels = tree.boxLevels.slice(tree.depth[at]);
    const level = levels.includes(this.level) ? this.level : levels.at(-1);
    const all = inner ? this.nodeRows(tree, at, resources) : this.domainRows(tree, at, level, resources);
    const rows = this.sorted(all, resources);
    const title = inner ? `Nodes of ${tree.names[at]}` : `${levelName(level)}s of ${tree.names[at]}`;
    const seen = rows.slice(0, this.limit);
    show(this.box, [title, levels, level, resources, this.order, this.limit, rows.length, seen, seen.map((row) => isSelected(row.kind, row.path))], () => [
      h("div", { class: "table-head" },
        !inner && levels.length > 1 && h("div", { class: "group", role: "group", "aria-label": "Level" }, levels.map((name) => h("button", {
          type: "button", key: `level-${name}`, "aria-pressed": String(name === level),
          onclick: () => { this.level = name; this.limit = PAGE; this.again(); },
        }, levelName(name)))),
        h("span", { class: "note" }, `${count(rows.length, inner ? "node" : levelName(level))} in ${tree.names[at]}`)),
      h("table", {},
        h("caption", { class: "sr" }, title),
        h("thead", {}, h("tr", {},
          this.heading("name", inner ? "Node" : "Domain"), !inner && this.heading("nodes", "Nodes"),
          resources.map((name) => this.heading(name, resourceName(name))))),
        h("tbody", {}, seen.map((row) => this.row(row, resources, inner)))),
      rows.length > seen.length && h("button", { type: "button", class: "more", key: "more", onclick: () => { this.limit += 5 * PAGE; this.again(); } },
        `Show more (${number(rows.length - seen.length)})`),
    ]);
  }

  again() {
    this.onChange?.();
  }

  domainRows(tree, at, level, resources) {
    const depth = tree.boxLevels.indexOf(level) + 1;
    const rows = [];
    for (let box = 1; box < tree.size; box += 1) {
      if (tree.depth[box] !== depth || tree.loose[box] || !tree.contains(at, box)) continue;
      rows.push({
        kind: "domain", path: tree.paths[box], name: tree.paths[box].join("/"), nodes: tree.nodeCount[box],
        used: resources.map((name) => tree.used(box, name)), total: resources.map((name) => tree.total(box, name)),
      });
    }
    return rows;
  }

  nodeRows(tree, at, resources) {
    const { store, cycle } = this.map;
    store.ensure(tree, [at], cycle);
    const entry = store.get(tree, at);
    if (!entry) return [];
    return entry.names.map((name, index) => ({
      kind: "node", path: [name], name: entry.closed[index] ? `${name} (closed)` : name, nodes: 1,
      used: resources.map((resource) => nodeUsed(entry, index, resource)),
      total: resources.map((resource) => nodeTotal(entry, index, resource)),
    }));
  }

  sorted(rows, resources) {
    const { key, down } = this.order;
    const column = resources.indexOf(key);
    const value = (row) => (key === "nodes" ? row.nodes : row.used[column] / row.total[column] || 0);
    const sign = down ? -1 : 1;
    return rows.sort((a, b) => sign * (key === "name" || column < 0 && key !== "nodes" ? 0 : value(a) - value(b))
      || (key === "name" ? sign : 1) * byName(a.name, b.name));
  }

  heading(key, text) {
    const on = this.order.key === key;
    return h("th", { scope: "col", "aria-sort": on ? (this.order.down ? "descending" : "ascending") : "none" },
      h("button", { type: "button", key: `sort-${key}`, onclick: () => {
        this.order = { key, down: on ? !this.order.down : key !== "name" };
        this.again();
      } }, text, h("span", { "aria-hidden": "true" }, on ? (this.order.down ? " ↓" : " ↑") : "")));
  }

  row(row, resources, inner) {
    return h("tr", { "aria-selected": String(isSelected(row.kind, row.path)) },
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", key: `row-${row.name}`, onclick: () => select(row.kind, row.path) }, row.name)),
      !inner && h("td", {}, number(row.nodes)),
      resources.map((name, at) => {
        const share = row.used[at] / row.total[at];
        return h("td", {}, h("span", { class: "of" }, amount(name, row.used[at]), h("small", {}, ` / ${amount(name, row.total[at])}`)),
          meter(share, `${percent(share)} of ${resourceName(name)} used`));
      }));
  }
}
