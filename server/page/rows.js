// A list of gangs or of workloads. There may be thousands: only the rows in sight exist.

import { $, h, pill, show } from "./dom.js";
import { count, levelName, number, words } from "./format.js";
import { isSelected, select, state, update } from "./state.js";

const ROW = 50;
const SPARE = 4;
// Those that want attention come first.
const ORDER = ["Pending", "Evicted", "Releasing", "Pipelined", "QuotaReserved", "Scheduled", "Running", "Admitted", "Finished", "Succeeded", "Failed"];

const rank = (status) => (ORDER.indexOf(status) + 1 || ORDER.length + 1);
export const keyOf = (item) => `${item.namespace}/${item.name}`;

export class RowList {
  // `kind`: of the objects, "gang" or "workload"; elements have ids that begin with `${kind}s-`.
  // `figures(item)`: the short text at the right; `where(item)`: where it is placed, "" when nowhere.
  constructor({ kind, figures, where }) {
    Object.assign(this, { kind, figures, where, rows: [], active: -1, texts: new WeakMap() });
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

  // `items` are in order of namespace and name; `more` others exist, of no status in `complete`.
  set({ items, more = 0, complete = [] }) {
    Object.assign(this, { items, more, complete });
    this.sorted = [...items].sort((a, b) => rank(a.status) - rank(b.status));
    this.refresh();
  }

  refresh() {
    if (!this.sorted) return;
    const filter = this.part("filter");
    if (document.activeElement !== filter) filter.value = state.q ?? "";
    const terms = (state.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.sorted.filter((item) => terms.every((term) => this.textOf(item).includes(term)));
    this.rows = state.status ? found.filter((item) => item.status === state.status) : found;
    this.active = this.rows.findIndex((item) => isSelected(this.kind, [item.namespace, item.name]));
    this.chips(found);
    this.spacer.style.height = `${this.rows.length * ROW}px`;
    const note = this.part("note");
    note.hidden = this.rows.length > 0 && this.more === 0;
    note.textContent = this.more > 0
      ? `${count(this.rows.length, this.kind)} of the first ${number(this.items.length)}; ${number(this.more)} more are not listed. Choose a status to ask for those alone.`
      : this.items.length ? `No ${this.kind} matches.` : `No ${this.kind}s.`;
    this.window();
  }

  chips(found) {
    const counts = new Map();
    for (const item of found) counts.set(item.status, (counts.get(item.status) ?? 0) + 1);
    if (state.status && !counts.has(state.status)) counts.set(state.status, 0);
    const known = [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
    const more = this.more > 0 ? "+" : "";
    show(this.part("status"), [known, state.status, found.length, more], () => [
      this.chip("All", undefined, `${number(found.length)}${state.status ? "" : more}`),
      known.map(([status, items]) => this.chip(status, status, `${number(items)}${this.complete.includes(status) ? "" : more}`)),
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
    show(this.spacer, [from, this.rows.length, this.active, seen], () =>
      seen.map((item, at) => this.row(item, from + at)));
    if (this.active >= from && this.active < to) this.box.setAttribute("aria-activedescendant", `${this.kind}-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(item, index) {
    const what = this.whatOf(item);
    return h("div", {
      class: "row", role: "option", id: `${this.kind}-${index}`, "data-index": String(index), [`data-${this.kind}`]: keyOf(item),
      "aria-selected": String(index === this.active), "aria-posinset": String(index + 1),
      "aria-setsize": String(this.rows.length), css: { top: `${index * ROW}px` },
    },
    h("span", { class: "name" }, h("i", {}, `${item.namespace}/`), item.name),
    h("span", { class: "count" }, this.figures(item)),
    h("span", { class: "what", title: what }, what),
    pill(item.status));
  }

  whatOf(item) {
    const [reason] = item.reasons ?? [];
    return reason ? reason.message || words(reason.code) : this.where(item);
  }

  textOf(item) {
    if (!this.texts.has(item)) {
      const codes = (item.reasons ?? []).map((reason) => reason.code).join(" ");
      const queue = item.queue ? `queue:${item.queue}` : "";
      this.texts.set(item, `${keyOf(item)} ${queue} ${this.whatOf(item)} ${codes}`.toLowerCase());
    }
    return this.texts.get(item);
  }

  choose(index) {
    const item = this.rows[index];
    if (!item) return;
    select(this.kind, [item.namespace, item.name]);
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
