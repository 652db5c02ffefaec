// What the user looks at. It lives in the URL's hash, so that a view can be sent to someone.
//
//   #topology=nvl72&at=b1/r2&gang=research/oversized&color=cpu&view=table&tab=queues&q=text&status=Pending

const KINDS = ["gang", "workload", "domain", "node", "queue"];
const PLAIN = ["topology", "color", "view", "tab", "q", "status"];

export const state = { at: [], select: null };
const listeners = new Set();

const encode = (text) => encodeURIComponent(text).replaceAll("%2F", "/");

function split(text) {
  return text ? text.split("/").map(decodeURIComponent) : [];
}

function read() {
  const next = { at: [], select: null };
  for (const part of location.hash.slice(1).split("&")) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const [key, value] = [part.slice(0, equals), part.slice(equals + 1)];
    try {
      if (key === "at") next.at = split(value);
      else if (KINDS.includes(key)) next.select = { kind: key, path: split(value) };
      else if (PLAIN.includes(key)) next[key] = decodeURIComponent(value);
    } catch {
      // A hash that was cut off: the rest of it still counts.
    }
  }
  return next;
}

function written() {
  const parts = [];
  const path = (names) => names.map(encodeURIComponent).join("/");
  if (state.topology) parts.push(`topology=${encode(state.topology)}`);
  if (state.at.length) parts.push(`at=${path(state.at)}`);
  if (state.select) parts.push(`${state.select.kind}=${path(state.select.path)}`);
  for (const key of PLAIN.slice(1)) if (state[key]) parts.push(`${key}=${encode(state[key])}`);
  return `#${parts.join("&")}`;
}

function replace(next) {
  for (const key of PLAIN) state[key] = next[key];
  state.at = next.at;
  state.select = next.select;
}

function notify(from) {
  for (const listener of listeners) listener(from);
}

// A selection gets its own step in the history; everything else changes the present one.
export function update(patch, from = "user") {
  const before = written();
  const step = "select" in patch && JSON.stringify(patch.select) !== JSON.stringify(state.select);
  Object.assign(state, patch);
  const after = written();
  if (before === after) return;
  if (step) history.pushState(null, "", after);
  else history.replaceState(null, "", after);
  notify(from);
}

export const select = (kind, path) => update({ select: kind ? { kind, path } : null });

export const isSelected = (kind, path) =>
  state.select?.kind === kind && state.select.path.join("/") === path.join("/");

export function onChange(listener) {
  listeners.add(listener);
}

replace(read());
window.addEventListener("popstate", () => {
  if (location.hash === "#gangs-filter") return;
  replace(read());
  notify("history");
});
