// The map: what part of the layout the canvas shows, and what is marked in it.

import { calm, onTheme, palette } from "./colors.js";
import { Layout } from "./layout.js";
import { NodeStore } from "./nodes.js";
import { Painter } from "./painter.js";

const ANIMATION_MS = 280;
const MARGIN = 0.04;
const SETTLED_MS = 120;  // without a movement
const MOVING_MS = 400;   // between questions on the way

export class MapView {
  // `on`: {moved(), arrived()}: the view has changed; nodes have come
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.painter = new Painter(canvas);
    this.store = new NodeStore(() => this.on.arrived());
    this.view = { x: 0, y: 0, k: 1 };
    this.movedAt = this.fetchedAt = 0;
    this.fixed = undefined;  // the box that the view is fitted to, until the user moves on
    this.width = this.height = 0;
    this.cycle = -1;
    this.marks = [];
    this.pins = [];
    this.resource = "cpu";
    this.by = undefined;  // what boxes are coloured by beside the resource
    this.hover = this.selected = this.cursor = null;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    onTheme(() => this.draw());
  }

  // Keeps the view when the tree has the shape of the one before.
  setTree(tree, cycle) {
    const same = this.tree && this.tree.shape === tree.shape && this.tree.name === tree.name
      && this.tree.nodeCount.every((nodes, at) => nodes === tree.nodeCount[at]);
    this.cycle = cycle;
    if (this.tree && this.tree.name !== tree.name) this.store.clear();
    // Numbers of boxes mean something in one tree only.
    if (!same && this.fixed !== undefined) this.fixed = tree.find(this.tree?.paths[this.fixed] ?? []);
    this.tree = tree;
    if (same) this.layout.tree = tree;
    else this.relayout();
    this.draw();
  }

  relayout() {
    if (!this.tree || !this.width) return;
    this.hover = this.cursor = null;
    this.layout = new Layout(this.tree, this.width, this.height);
    const [leaf] = this.tree.depth.map((depth, at) => at).filter((at) => this.tree.holdsNodes(at));
    const cell = this.layout.cell(leaf, 0);
    this.maxZoom = Math.max(4, Math.min(420 / cell.w, 220 / cell.h));
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const width = Math.round(box.width);
    const height = Math.round(box.height);
    this.ratio = window.devicePixelRatio || 1;
    if (!width || !height || (width === this.width && height === this.height)) return;
    const middle = this.width
      ? { x: (this.view.x + this.width / 2 / this.view.k) / this.width, y: (this.view.y + this.height / 2 / this.view.k) / this.height }
      : { x: 0.5, y: 0.5 };
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.relayout();
    if (this.fixed !== undefined && this.layout) {
      this.fit(this.fixed, false);
      this.paint();
      return;
    }
    this.view.x = middle.x * width - width / 2 / this.view.k;
    this.view.y = middle.y * height - height / 2 / this.view.k;
    this.paint();  // now: a canvas that was resized is blank
  }

  draw() {
    this.pending ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    if (this.pending) cancelAnimationFrame(this.pending);
    this.pending = undefined;
    if (!this.layout) return;
    const { width, height, ratio, tree, layout, store, view, resource, by, marks, pins, hover, selected } = this;
    const cursor = document.activeElement === this.canvas ? this.cursor : null;
    const wanted = this.painter.paint({
      width, height, ratio, tree, layout, store, view, resource, by, marks, pins, hover, selected, cursor, focus: this.fixed ?? 0, palette: palette(),
    });
    this.fetch(wanted);
    if (!this.painted) performance.mark("trellis-picture");
    this.painted = true;
  }

  // Not for each box that flies past.
  fetch(wanted) {
    const now = performance.now();
    if (this.animation || !wanted.length) return;
    if (now - this.movedAt < SETTLED_MS && now - this.fetchedAt < MOVING_MS) {
      this.settling ??= setTimeout(() => { this.settling = undefined; this.draw(); }, SETTLED_MS);
      return;
    }
    this.fetchedAt = now;
    this.store.ensure(this.tree, wanted, this.cycle);
  }

  opens = (at) => this.painter.opens(at);
  nodesIn = (at) => this.store.get(this.tree, at)?.names.length ?? 0;

  world(px, py) {
    return { x: this.view.x + px / this.view.k, y: this.view.y + py / this.view.k };
  }

  // What is at a point of the canvas.
  hit(px, py) {
    if (!this.layout || !this.painter.scene) return null;
    const { x, y } = this.world(px, py);
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return null;
    return this.layout.hit(x, y, this.opens, this.nodesIn);
  }

  clamp({ x, y, k }) {
    const zoom = Math.max(1, Math.min(this.maxZoom ?? 1, k));
    const free = zoom > 1 && this.fixed === undefined ? 0.3 : 0;
    const limit = (value, size) => {
      const seen = size / zoom;
      return Math.max(-free * seen, Math.min(size - seen + free * seen, value));
    };
    return { x: limit(x, this.width), y: limit(y, this.height), k: zoom };
  }

  look(view, fixed) {
    this.stop();
    this.fixed = fixed;
    this.movedAt = performance.now();
    this.view = this.clamp(view);
    this.draw();
    this.on.moved();
  }

  pan(dx, dy) {
    this.look({ ...this.view, x: this.view.x - dx / this.view.k, y: this.view.y - dy / this.view.k });
  }

  // Keeps the point (px, py) of the canvas where it is.
  zoom(factor, px = this.width / 2, py = this.height / 2, smooth = false) {
    const { x, y } = this.world(px, py);
    const k = Math.max(1, Math.min(this.maxZoom ?? 1, this.view.k * factor));
    const next = { x: x - px / k, y: y - py / k, k };
    if (smooth) this.glide(next);
    else this.look(next);
  }

  // Shows a box as large as it goes.
  fit(at, smooth = true) {
    if (!this.layout) {
      this.fixed = at;  // once there is room
      return;
    }
    const { x, y, w, h } = this.layout.spot({ at, node: -1 });
    const margin = at === 0 ? 0 : MARGIN;
    const k = Math.min(this.width / (w * (1 + margin)), this.height / (h * (1 + margin)));
    const target = { x: x + w / 2 - this.width / 2 / k, y: y + h / 2 - this.height / 2 / k, k };
    if (smooth) this.glide(target, at);
    else this.look(target, at);
  }

  stop() {
    if (this.animation) cancelAnimationFrame(this.animation);
    this.animation = undefined;
  }

  glide(target, fixed) {
    this.stop();
    this.fixed = fixed;
    const to = this.clamp(target);
    if (calm.matches) {
      this.look(to, fixed);
      return;
    }
    const from = { ...this.view };
    const began = performance.now();
    const middle = (view, side, size) => view[side] + size / 2 / view.k;
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - began) / ANIMATION_MS));
      const eased = 1 - (1 - t) ** 3;
      const k = from.k * (to.k / from.k) ** eased;
      // The middle moves so that zooming has a fixed point.
      const part = Math.abs(to.k - from.k) < 1e-6 ? eased : (1 / from.k - 1 / k) / (1 / from.k - 1 / to.k);
      const at = (side, size) => {
        const a = middle(from, side, size);
        return a + (middle(to, side, size) - a) * part - size / 2 / k;
      };
      this.view = t < 1 ? { x: at("x", this.width), y: at("y", this.height), k } : to;
      this.animation = t < 1 ? requestAnimationFrame(step) : undefined;
      this.paint();
      if (t >= 1) this.on.moved();
    };
    this.animation = requestAnimationFrame(step);
  }

  // Where the user is: the box that was zoomed to, else the deepest that fills most of the canvas.
  focus() {
    const { layout, tree } = this;
    if (this.fixed !== undefined && this.fixed < (tree?.size ?? 0)) return this.fixed;
    if (!layout || this.view.k <= 1) return 0;
    const { x, y } = this.world(this.width / 2, this.height / 2);
    let at = 0;
    for (;;) {
      const next = tree.children[at].find((c) => {
        const inside = x >= layout.x[c] && x < layout.x[c] + layout.w[c] && y >= layout.y[c] && y < layout.y[c] + layout.h[c];
        const wide = (layout.w[c] * this.view.k) / this.width;
        const high = (layout.h[c] * this.view.k) / this.height;
        return inside && !tree.loose[c] && Math.max(wide, high) > 0.72;
      });
      if (next === undefined) return at;
      at = next;
    }
  }

  // The neighbour of a spot to one side: of the same depth, also across boxes.
  neighbour(spot, dx, dy) {
    const { layout, tree } = this;
    const place = layout.spot(spot);
    const depth = tree.depth[spot.at] + (spot.node >= 0 ? 1 : 0);
    const opens = (at) => tree.depth[at] < depth && (tree.children[at].length > 0 || this.nodesIn(at) > 0);
    for (let step = 1; step <= 12; step += 1) {
      const far = 0.5 + step * 0.25;
      const x = place.x + place.w * (0.5 + dx * far);
      const y = place.y + place.h * (0.5 + dy * far);
      if (x < 0 || y < 0 || x >= this.width || y >= this.height) break;
      const found = layout.hit(x, y, opens, this.nodesIn);
      const same = found.at === spot.at && found.node === spot.node;
      if (!same && tree.depth[found.at] + (found.node >= 0 ? 1 : 0) === depth) return found;
    }
    return this.nextTo(spot, dx + dy);
  }

  // The one before or after, where nothing stands to that side.
  nextTo({ at, node }, step) {
    if (node >= 0) {
      const next = node + step;
      return next >= 0 && next < this.nodesIn(at) ? { at, node: next } : null;
    }
    const siblings = this.tree.children[this.tree.parent[at]] ?? [];
    const next = siblings[siblings.indexOf(at) + step];
    return next === undefined ? null : { at: next, node: -1 };
  }

  // Pans as little as makes a spot visible.
  reveal(spot) {
    const { fixed } = this;
    const { x, y, w, h } = this.layout.spot(spot);
    const seen = { w: this.width / this.view.k, h: this.height / this.view.k };
    const next = { ...this.view };
    const into = (value, size, from, room) => (size > room ? from : Math.max(value + size - room, Math.min(value, from)));
    next.x = into(x, w, next.x, seen.w);
    next.y = into(y, h, next.y, seen.h);
    if (next.x !== this.view.x || next.y !== this.view.y) this.look(next, fixed);
  }
}
