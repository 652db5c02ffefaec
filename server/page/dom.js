// Elements from data. Text goes through text nodes only, so no name can become markup.

const SVG = new Set(["svg", "path"]);

export const $ = (id) => document.getElementById(id);

// h("p", {class: "note", onclick: f, key: "k"}, "text", child, [children], null)
export function h(tag, props, ...children) {
  const node = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "key") node.dataset.key = value;
    else if (name === "css") for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

// Replaces what is in `container`, keeps the focus on the element with the same key and leaves the
// scroll position alone.
export function fill(container, ...children) {
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const fragment = document.createDocumentFragment();
  append(fragment, children);
  container.replaceChildren(fragment);
  if (focused) {
    container.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}

const shown = new WeakMap();

// Calls `build` and shows its result, unless `container` shows the same data already.
export function show(container, data, build) {
  const text = JSON.stringify(data);
  if (shown.get(container) === text) return;
  shown.set(container, text);
  fill(container, build());
}

// A bar for a share of 0..1, with its meaning for those who do not see it.
export function meter(share, label, kind) {
  const percent = Math.round(100 * Math.min(1, Math.max(0, share || 0)));
  return h("span", { class: `meter ${kind ?? ""}`, role: "img", "aria-label": label ?? `${percent} %` },
    h("span", { css: { width: `${percent}%` } }));
}

// A part of an axis, from one share of it to another.
export function span(from, to, label) {
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  return h("span", { class: "meter", role: "img", "aria-label": label, title: label },
    h("span", { css: { "margin-left": percent(from), width: percent(Math.max(to - from, 0.01)) } }));
}

export function pill(status) {
  return h("span", { class: `pill ${status.toLowerCase()}` }, status);
}
