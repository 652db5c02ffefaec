// Mouse, fingers and keys on the map.

const WHEEL = 0.0016;
const STEP = 1.5;
const PAN = 70;
const SLOP = 5;

// `on`: {pick(spot), enter(spot), out(), point(spot, x, y), say(spot)}
export function listen(map, on) {
  const { canvas } = map;
  const fingers = new Map();
  let moved = false;
  let pinch = null;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? map.height : 1;
    if (event.shiftKey) map.pan(-(event.deltaX || event.deltaY) * unit, 0);
    else map.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? WHEEL * 5 : WHEEL)), x, y);
    on.point(null);
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
    moved = fingers.size > 1 || false;
    pinch = fingers.size === 2 ? spread() : null;
    map.stop();
  });

  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") on.point(map.hit(now.x, now.y), now.x, now.y);
      return;
    }
    if (fingers.size === 1) {
      if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < SLOP) return;
      moved = true;
      canvas.classList.add("dragging");
      on.point(null);
      fingers.set(event.pointerId, now);
      map.pan(now.x - before.x, now.y - before.y);
      return;
    }
    fingers.set(event.pointerId, now);
    const next = spread();
    map.pan(next.x - pinch.x, next.y - pinch.y);
    map.zoom(next.size / Math.max(1, pinch.size), next.x, next.y);
    pinch = next;
  });

  const end = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove("dragging");
    pinch = null;
    if (event.type === "pointerup" && !moved && fingers.size === 0) {
      const { x, y } = place(event);
      map.cursor = null;
      on.pick(map.hit(x, y));
    }
    if (fingers.size === 0) moved = false;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => on.point(null));

  canvas.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    const spot = map.hit(x, y);
    if (spot) map.fit(nextBox(map, spot.at));
  });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !map.layout) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) map.pan(-arrow[0] * PAN, -arrow[1] * PAN);
    else if (arrow) step(...arrow);
    else if (event.key === "+" || event.key === "=") map.zoom(STEP, undefined, undefined, true);
    else if (event.key === "-") map.zoom(1 / STEP, undefined, undefined, true);
    else if (event.key === "0" || event.key === "Home") map.fit(0);
    else if (event.key === "Enter" || event.key === " ") enter();
    else if (event.key === "Escape") out();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("focus", () => map.draw());
  canvas.addEventListener("blur", () => map.draw());

  const start = () => {
    const at = map.focus();
    const [first] = map.tree.children[at];
    if (first !== undefined) return { at: first, node: -1 };
    return map.nodesIn(at) ? { at, node: 0 } : { at, node: -1 };
  };
  const go = (spot) => {
    map.cursor = spot;
    map.reveal(spot);
    map.draw();
    on.say(spot);
  };
  const step = (dx, dy) => {
    if (!map.cursor) go(start());
    else go(map.neighbour(map.cursor, dx, dy) ?? map.cursor);
  };
  const enter = () => {
    if (!map.cursor) return go(start());
    const spot = map.cursor;
    on.enter(spot);
    if (spot.node >= 0) return undefined;
    const inside = map.focus() === spot.at;
    map.fit(spot.at);
    const [first] = map.tree.children[spot.at];
    if (inside && first !== undefined) go({ at: first, node: -1 });
    else if (inside && map.nodesIn(spot.at)) go({ at: spot.at, node: 0 });
    return undefined;
  };
  const out = () => {
    const at = map.focus();
    if (at === 0 && map.view.k <= 1.001 && map.view.x === 0 && map.view.y === 0) {
      map.cursor = null;
      map.draw();
      on.out();
      return;
    }
    const up = at === 0 ? 0 : map.tree.parent[at];
    if (map.cursor) map.cursor = { at: Math.max(0, map.cursor.node >= 0 ? map.cursor.at : at), node: -1 };
    map.fit(up);
  };
}

// The box to zoom to on the way to `at`: one step below the one that fills the canvas.
function nextBox(map, at) {
  const focus = map.focus();
  let next = at;
  while (next > 0 && map.tree.parent[next] !== focus && next !== focus) next = map.tree.parent[next];
  return next;
}
