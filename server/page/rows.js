// A list of gangs, workloads or nodes. The server searches all of them, and gives the first; only the rows in sight
// exist.

import { $, h, pill, show } from "./dom.js";
import { ago, amount, count, levelName, number, parseQuantity, resourceName, words } from "./format.js";
import { affixesOf, shorterNames } from "./names.js";
import { isSelected, select, state, update } from "./state.js";

const ROW = 50;
const SPARE = 4;
// Those that want attention come first.
const ORDER = ["Pending", "Evicted", "Releasing", "Pipelined", "QuotaReserved", "Scheduled", "Running", "Admitted", "Finished", "Closed", "Open"];

// What the server can be asked for.
export const STATUSES = {
  gangs: ["Pending", "Evicted", "Releasing", "Pipelined", "Scheduled", "Running", "Finished"],
  workloads: ["Pending", "Evicted", "QuotaReserved", "Admitted", "Finished"],
  nodes: ["Open", "Closed"],
};

const rank = (status) => (ORDER.indexOf(status) + 1 || ORDER.length + 1);
const pathOf = (item) => (item.namespace === undefined ? [item.name] : [item.namespace, item.name]);
export const keyOf = (item) => pathOf(item).join("/");

export class RowList {
  // `kind`: of the objects, "gang", "workload" or "node"; elements have ids that begin with `${kind}s-`.
  // `figures(item)`: the short text at the right; `where(item)`: where it is placed, "" when nowhere.
  constructor({ kind, figures, where }) {
    Object.assign(this, { kind, figures, where, rows: [], active: -1, affixes: { head: 0, tail: 0 } });
    this.box = this.part("list");
    this.spacer = h("div", { class: "spacer", role: "presentation" });
    this.box.append(this.spacer);
    this.box.addEventListener("scroll", () => this.window());
    new ResizeObserver(() => this.window()).observe(this.box);
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (row) this.choose(Number(row.dataset.index));
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.part("filter").addEventListener("input", (event) => update({ q: event.target.value || undefined }));
    this.part("filter").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.box.focus();
      this.move(0);
    });
  }

  part(name) {
    return $(`${this.kind}s-${name}`);
  }

  // `items`: the first that match, in the order to be shown; `more` others match. `statuses`: how many there are of
  // each status, whatever status is chosen.
  set({ items, more = 0, statuses = {} }) {
    Object.assign(this, { rows: items, more, statuses });
    if (this.kind === "node") this.affixes = affixesOf(items.map((item) => item.name));
    this.refresh();
  }

  // `now`: the time of the cycle.
  refresh(now = this.now) {
    this.now = now;
    if (!this.statuses) return;
    const filter = this.part("filter");
    if (document.activeElement !== filter) filter.value = state.q ?? "";
    this.active = this.rows.findIndex((item) => isSelected(this.kind, pathOf(item)));
    this.chips();
    this.spacer.style.height = `${this.rows.length * ROW}px`;
    const note = this.part("note");
    note.hidden = this.rows.length > 0 && this.more === 0;
    note.textContent = this.more > 0
      ? `The first ${number(this.rows.length)} of ${number(this.rows.length + this.more)}. Search among all by name, queue, reason or place.`
      : state.q || state.status ? `No ${this.kind} matches.` : `No ${this.kind}s.`;
    this.window();
  }

  chips() {
    const counts = new Map(Object.entries(this.statuses));
    const all = [...counts.values()].reduce((sum, items) => sum + items, 0);
    if (state.status && !counts.has(state.status)) counts.set(state.status, 0);
    const known = [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
    show(this.part("status"), [known, state.status], () => [
      this.chip("All", undefined, number(all)),
      known.map(([status, items]) => this.chip(status, status, number(items))),
    ]);
  }

  chip(text, status, items) {
    return h("button", {
      type: "button", class: `chip ${(status ?? "all").toLowerCase()}`, key: `status-${status}`,
      "aria-pressed": String(state.status === status), onclick: () => update({ status }),
    }, text, h("b", {}, items));
  }

  // Draws the rows in sight.
  window() {
    const height = this.box.clientHeight;
    if (!height) return;
    const from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const to = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + height) / ROW) + SPARE);
    const seen = this.rows.slice(from, to);
    show(this.spacer, [from, this.rows.length, this.active, seen, this.now], () =>
      seen.map((item, at) => this.row(item, from + at)));
    if (this.active >= from && this.active < to) this.box.setAttribute("aria-activedescendant", `${this.kind}-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(item, index) {
    const what = this.whatOf(item);
    const waits = item.waitingSince && this.now ? ago(item.waitingSince, this.now) : "";
    const status = item.status ?? (item.closed ? "Closed" : "");
    return h("div", {
      class: "row", role: "option", id: `${this.kind}-${index}`, "data-index": String(index), [`data-${this.kind}`]: keyOf(item),
      "aria-selected": String(index === this.active), "aria-posinset": String(index + 1),
      "aria-setsize": String(this.rows.length), css: { top: `${index * ROW}px` },
    },
    h("span", { class: "name", title: keyOf(item) }, item.namespace !== undefined && h("i", {}, `${item.namespace}/`), this.nameOf(item)),
    h("span", { class: "count" }, waits && h("span", { class: "waits", title: `waits since ${item.waitingSince}` }, waits), this.figures(item)),
    h("span", { class: "what", title: what }, what),
    status && pill(status));
  }

  nameOf(item) {
    const room = 26;
    const names = shorterNames(item.name, this.affixes);
    return this.kind === "node" ? names.find((name) => name.length <= room) ?? names.at(-1) : item.name;
  }

  whatOf(item) {
    const [reason] = item.reasons ?? [];
    return reason ? reason.message || words(reason.code) : this.where(item);
  }

  choose(index) {
    const item = this.rows[index];
    if (!item) return;
    select(this.kind, pathOf(item));
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.move(steps[event.key]);
  }

  move(step) {
    const next = Math.max(0, Math.min(this.rows.length - 1, this.active < 0 ? 0 : this.active + step));
    if (!this.rows.length) return;
    this.choose(next);
    this.reveal(next);
  }

  reveal(index) {
    const top = index * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
  }
}

export const gangRows = () => new RowList({
  kind: "gang",
  figures: (gang) => `${number(gang.placed)}/${number(gang.pods)}`,
  where: ({ placement, queue }) => (placement?.domain ? `${levelName(placement.level)} ${placement.domain.join("/")}` : queue ? `queue ${queue}` : ""),
});

const setText = (set) => {
  const domains = set.topologyAssignment?.domains ?? [];
  const more = domains.length > 2 ? ` +${number(domains.length - 2)}` : "";
  return domains.length ? domains.slice(0, 2).map(({ values, count: pods }) => `${values.join("/")}: ${number(pods)}`).join(", ") + more
    : [...new Set(Object.values(set.flavors ?? {}))].join(", ");
};

export const workloadRows = () => new RowList({
  kind: "workload",
  figures: (workload) => count(workload.pods, "pod"),
  where: (workload) => (workload.podSetAssignments ?? []).map(setText).join("; "),
});

const MAIN = ["nvidia.com/gpu", "amd.com/gpu", "cpu"];

export const nodeRows = () => new RowList({
  kind: "node",
  figures: ({ available, unavailable, allocated }) => {
    const total = (name) => [available, unavailable, allocated].reduce((sum, list) => sum + (parseQuantity(list?.[name] ?? "0") || 0), 0);
    const name = MAIN.find((resource) => total(resource) > 0) ?? "cpu";
    return `${amount(name, parseQuantity(allocated?.[name] ?? "0"))}/${amount(name, total(name))} ${resourceName(name)}`;
  },
  where: (node) => (node.closed ? "takes no new pods" : ""),
});
