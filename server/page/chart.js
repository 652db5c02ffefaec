// A small chart of values that follow each other: an area, or bars. Under the pointer: one value.

import { h } from "./dom.js";
import { number } from "./format.js";

const WIDTH = 320;
const HEIGHT = 44;

// `top`: the value at the upper edge, at least; `figure`: what is said without a pointer; `at`: the
// words for the value of this index; `label`: all of it in words.
export function chart({ name, values, top = 0, bars = false, warm = false, figure, at, label }) {
  const most = Math.max(top, ...values, 1);
  const shown = h("span", { class: "count" }, figure);
  const show = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.min(values.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * values.length)));
    shown.textContent = `${at(index)}: ${number(values[index])}`;
  };
  return h("div", { class: "chart", "data-chart": name, onpointermove: show, onpointerleave: () => { shown.textContent = figure; } },
    h("span", { class: "name" }, name), shown,
    (!bars || values.some((value) => value > 0)) && h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
      "aria-label": label, class: warm ? "warm" : "" },
    h("path", { class: "area", d: path(values, most, bars) }),
    bars ? null : h("path", { class: "line", d: line(values, most) })));
}

const x = (at, all) => ((at / all) * WIDTH).toFixed(1);
const y = (value, top) => (HEIGHT - 1 - (value / top) * (HEIGHT - 4)).toFixed(1);

function line(values, top) {
  return values.map((value, at) => `${at ? "L" : "M"}${x(at, values.length)} ${y(value, top)}L${x(at + 1, values.length)} ${y(value, top)}`).join("");
}

function path(values, top, bars) {
  if (!bars) return `${line(values, top)}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`;
  const wide = Math.max(1.5, WIDTH / values.length);
  return values.map((value, at) => (value ? `M${x(at, values.length)} ${HEIGHT}V${y(value, top)}h${wide.toFixed(1)}V${HEIGHT}Z` : "")).join("") || "M0 0";
}
