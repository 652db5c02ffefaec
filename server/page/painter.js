// One frame of the map. Boxes whose inside is too small to be distinguished are drawn as one, in the colour of their
// sum; so a frame costs what is visible, however many nodes there are.

import { stepOf } from "./colors.js";
import { amount, isGpu } from "./format.js";
import { affixesOf, shorterNames } from "./names.js";
import { nodeTotal, nodeUsed } from "./nodes.js";
import { boxStep, nodeStep } from "./shades.js";

const MIN_CHILD = 3;      // pixels; smaller children are drawn as their parent
const MIN_CELL = 6;       // pixels of a node
const MIN_DOT = 1.2;      // pixels of a node where a box holds very many
const MANY = 400;
const MAX_PIPS = 16;
const MAX_ROUNDED = 1500;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d", { alpha: false });
    this.buckets = [];
    this.widths = new Map();
  }

  // Returns the boxes whose nodes the picture wants.
  paint(scene) {
    this.scene = scene;
    this.wanted = [];
    this.labels = [];
    this.hatched = [];
    this.trays = [];
    this.buckets = scene.palette.steps.map(() => []).concat([[]]);
    this.count = 0;
    const { ctx } = this;
    ctx.setTransform(scene.ratio, 0, 0, scene.ratio, 0, 0);
    ctx.fillStyle = scene.palette.ground;
    ctx.fillRect(0, 0, scene.width, scene.height);
    this.box(0);
    this.flush();
    this.drawLabels();
    this.drawMarks();
    this.outline(scene.hover, 1.5, scene.palette.muted);
    this.outline(scene.selected, 2.5, scene.palette.select);
    if (scene.cursor) this.outline(scene.cursor, 2, scene.palette.warm, [5, 4]);
    return this.wanted;
  }

  // The place of a box on the screen, on whole device pixels.
  rect(at) {
    const { layout } = this.scene;
    return this.snapped(layout.x[at], layout.y[at], layout.w[at], layout.h[at]);
  }

  snapped(x, y, w, h) {
    const { view, ratio } = this.scene;
    const left = Math.round((x - view.x) * view.k * ratio) / ratio;
    const top = Math.round((y - view.y) * view.k * ratio) / ratio;
    return {
      x: left, y: top,
      w: Math.max(1 / ratio, Math.round((x + w - view.x) * view.k * ratio) / ratio - left),
      h: Math.max(1 / ratio, Math.round((y + h - view.y) * view.k * ratio) / ratio - top),
    };
  }

  visible(r) {
    return r.x < this.scene.width && r.y < this.scene.height && r.x + r.w > 0 && r.y + r.h > 0;
  }

  box(at) {
    const { tree, layout, view } = this.scene;
    const r = this.rect(at);
    if (!this.visible(r)) return;
    const children = tree.children[at];
    if (!children.length) {
      this.last(at, r);
      return;
    }
    if (Math.min(layout.w[children[0]], layout.h[children[0]]) * view.k < MIN_CHILD) {
      this.solid(at, r);
      return;
    }
    this.frame(at, r);
    for (const child of children) this.box(child);
  }

  // A box that is shown with what is in it.
  frame(at, r) {
    const { ctx } = this;
    const { palette, tree, layout, view, resource } = this.scene;
    if (at === 0 && !tree.holdsNodes(at)) return;
    const depth = tree.depth[at];
    ctx.fillStyle = palette.boxes[Math.min(Math.max(depth, 1), palette.boxes.length) - 1];
    ctx.strokeStyle = palette.edge;
    ctx.lineWidth = 1;
    ctx.beginPath();
    if (Math.min(r.w, r.h) > 14) ctx.roundRect(r.x + 0.5, r.y + 0.5, r.w - 1, r.h - 1, Math.min(7, r.w * 0.04));
    else ctx.rect(r.x, r.y, r.w, r.h);
    ctx.fill();
    if (Math.min(r.w, r.h) > 14) ctx.stroke();
    const header = layout.header[at] * view.k;
    if (header < 12) return;
    const size = Math.min(14, Math.max(10.5, header * 0.48));
    const pad = Math.max(4, Math.min(10, layout.gap[at] * view.k + 2));
    const top = r.y + header / 2 + 0.5;
    const name = tree.names[at];
    this.label(name, r.x + pad, top, r.w - 2 * pad, { size, bold: true, color: palette.ink });
    const used = `${amount(resource, tree.used(at, resource))}/${amount(resource, tree.total(at, resource))}`;
    const taken = this.width(name, size, true) + 14;
    if (this.width(used, size - 1) + taken < r.w - 2 * pad) {
      this.label(used, r.x + r.w - pad, top, r.w, { size: size - 1, color: palette.muted, align: "right" });
    }
  }

  // A box that is shown as one colour.
  solid(at, r) {
    const { palette, tree, resource, by } = this.scene;
    const step = boxStep(tree, at, resource, by);
    this.fill(step, r);
    if (r.w < 30 || r.h < 15) return;
    const color = step < 0 ? palette.muted : palette.inks[step];
    const size = Math.min(14, Math.max(10, r.h * 0.26));
    const two = r.h >= 36;
    this.label(tree.names[at], r.x + r.w / 2, r.y + r.h / 2 - (two ? size * 0.55 : 0), r.w - 6,
      { size, bold: true, color, align: "center" });
    if (!two) return;
    const used = `${amount(resource, tree.used(at, resource))}/${amount(resource, tree.total(at, resource))}`;
    this.label(used, r.x + r.w / 2, r.y + r.h / 2 + size * 0.65, r.w - 6, { size: size - 1.5, color, align: "center", whole: true });
  }

  // A box that holds nodes.
  last(at, r) {
    const { tree, layout, view, store } = this.scene;
    const inner = layout.inner(at);
    const cell = { w: (inner.w / layout.columns[at]) * view.k, h: (inner.h / layout.rows[at]) * view.k };
    const many = tree.nodeCount[at] > MANY;
    if (Math.min(cell.w, cell.h) < (many ? MIN_DOT : MIN_CELL)) {
      this.solid(at, r);
      return;
    }
    this.wanted.push(at);
    const entry = store.get(tree, at);
    if (!entry) {
      this.solid(at, r);
      return;
    }
    this.frame(at, r);
    if (Math.min(cell.w, cell.h) < MIN_CELL) this.dots(at, entry, inner);
    else this.nodes(at, entry, inner, cell);
  }

  nodes(at, entry, inner, cell) {
    const { layout, view, width, height, resource } = this.scene;
    const columns = layout.columns[at];
    const left = (inner.x - view.x) * view.k;
    const top = (inner.y - view.y) * view.k;
    const from = { column: Math.max(0, Math.floor(-left / cell.w)), row: Math.max(0, Math.floor(-top / cell.h)) };
    const to = {
      column: Math.min(columns, Math.ceil((width - left) / cell.w)),
      row: Math.min(layout.rows[at], Math.ceil((height - top) / cell.h)),
    };
    const gapPixels = Math.min(3, Math.max(0.5, Math.min(cell.w, cell.h) * 0.1));
    const gap = gapPixels / view.k;
    // By the size before it is snapped to pixels: all nodes of a box have names, or none has.
    const named = cell.h - gapPixels >= 13 && cell.w - gapPixels >= 84;
    const pips = !this.scene.by && isGpu(resource) && cell.w >= 40 && cell.h >= 9;
    entry.affixes ??= affixesOf(entry.names);
    for (let row = from.row; row < to.row; row += 1) {
      for (let column = from.column; column < to.column; column += 1) {
        const index = row * columns + column;
        if (index >= entry.names.length) return;
        const c = layout.cell(at, index, inner);
        const r = this.snapped(c.x + gap / 2, c.y + gap / 2, c.w - gap, c.h - gap);
        this.node(entry, index, r, { pips, named });
      }
    }
  }

  node(entry, index, r, { pips, named }) {
    const { palette, resource, by } = this.scene;
    const used = nodeUsed(entry, index, resource);
    const total = nodeTotal(entry, index, resource);
    if (entry.closed[index]) this.hatched.push(r);
    const step = nodeStep(entry, index, resource, by);
    if (pips && total >= 1 && total <= MAX_PIPS && Number.isInteger(total)) {
      this.trays.push(r);
      if (!named) {
        this.pips(used, total, r, 0.04);
        return;
      }
      // As much room as the longest name of the box takes, so that its slots stand in line.
      const size = Math.min(12, Math.max(9.5, r.h * 0.5));
      entry.longest ??= entry.names.reduce((a, b) => (b.length > a.length ? b : a), "");
      const from = Math.min(0.55, (this.width(entry.longest, size) + 18) / r.w);
      this.pips(used, total, r, from);
      this.nodeName(entry, index, { ...r, w: r.w * from + 2 }, { size, color: palette.ink });
      return;
    }
    if (by && step < 0) this.trays.push(r);
    else this.fill(step, r);
    if (named) {
      const size = Math.min(12, Math.max(9.5, r.h * 0.45));
      const color = step < 0 ? palette.muted : palette.inks[step];
      this.nodeName(entry, index, r, { size, color });
    }
  }

  // The longest form of the name that its place holds.
  nodeName(entry, index, r, style) {
    const names = shorterNames(entry.names[index], entry.affixes);
    const name = names.find((one) => this.width(one, style.size) <= r.w - 10) ?? names.at(-1);
    this.label(name, r.x + 5, r.y + r.h / 2 + 0.5, r.w - 10, { ...style, tail: true });
  }

  // A slot for each GPU; a part of one fills a part of its slot.
  pips(used, total, r, from) {
    const pad = Math.min(4, r.h * 0.2);
    const x = r.x + Math.max(pad, r.w * from);
    const slot = (r.x + r.w - pad - x) / total;
    const gap = Math.min(3, slot * 0.16);
    for (let pip = 0; pip < total; pip += 1) {
      const full = Math.max(0, Math.min(1, used - pip));
      const p = { x: x + pip * slot + gap / 2, y: r.y + pad, w: slot - gap, h: r.h - 2 * pad };
      if (full < 1) this.fill(0, p);
      if (full > 0) this.fill(stepOf(0.82), { ...p, w: p.w * full });
    }
  }

  // A pixel for each node, scaled.
  dots(at, entry, inner) {
    const { layout, view, palette, resource, by } = this.scene;
    const columns = layout.columns[at];
    const key = `${palette.name} ${resource} ${by} ${columns}`;
    if (entry.imageKey !== key) {
      const image = new ImageData(columns, layout.rows[at]);
      const none = palette.rgb[0];
      for (let index = 0; index < entry.names.length; index += 1) {
        const step = nodeStep(entry, index, resource, by);
        const color = step < 0 ? none : palette.rgb[step];
        image.data.set([...color, 255], index * 4);
      }
      entry.image = document.createElement("canvas");
      entry.image.width = columns;
      entry.image.height = layout.rows[at];
      entry.image.getContext("2d").putImageData(image, 0, 0);
      entry.imageKey = key;
    }
    this.ctx.imageSmoothingEnabled = false;
    this.ctx.drawImage(entry.image, (inner.x - view.x) * view.k, (inner.y - view.y) * view.k, inner.w * view.k, inner.h * view.k);
  }

  fill(step, r) {
    this.count += 1;
    this.buckets[step < 0 ? this.buckets.length - 1 : step].push(r);
  }

  // By colour: changing the colour costs more than a box.
  flush() {
    const { ctx } = this;
    const { palette } = this.scene;
    ctx.fillStyle = palette.tray;
    for (const r of this.trays) ctx.fillRect(r.x, r.y, r.w, r.h);
    const rounded = this.count < MAX_ROUNDED;
    this.buckets.forEach((rects, step) => {
      if (!rects.length) return;
      ctx.fillStyle = palette.steps[step] ?? palette.none;
      for (const r of rects) {
        const radius = Math.min(5, Math.min(r.w, r.h) * 0.12);
        if (rounded && radius > 1) {
          ctx.beginPath();
          ctx.roundRect(r.x, r.y, r.w, r.h, radius);
          ctx.fill();
        } else {
          ctx.fillRect(r.x, r.y, r.w, r.h);
        }
      }
    });
    if (!this.hatched.length) return;
    ctx.fillStyle = this.hatch();
    for (const r of this.hatched) ctx.fillRect(r.x, r.y, r.w, r.h);
  }

  hatch() {
    const { palette } = this.scene;
    if (this.hatchName !== palette.name) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 6;
      const ctx = tile.getContext("2d");
      ctx.strokeStyle = palette.hatch;
      ctx.lineWidth = 1.4;
      ctx.beginPath();
      for (const shift of [-6, 0, 6]) {
        ctx.moveTo(shift - 1, 7);
        ctx.lineTo(shift + 7, -1);
      }
      ctx.stroke();
      this.hatchPattern = this.ctx.createPattern(tile, "repeat");
      this.hatchName = palette.name;
    }
    return this.hatchPattern;
  }

  width(text, size, bold) {
    const key = `${bold ? "b" : ""}${text}`;
    if (!this.widths.has(key)) {
      if (this.widths.size > 20000) this.widths.clear();
      this.ctx.font = `${bold ? "600 " : ""}100px ${FONT}`;
      this.widths.set(key, this.ctx.measureText(text).width / 100);
    }
    return this.widths.get(key) * size;
  }

  label(text, x, y, room, style) {
    let shown = text;
    const width = this.width(text, style.size, style.bold);
    if (width > room) {
      if (style.whole) return;
      const letters = Math.floor((text.length * room) / width) - 1;
      if (letters < 2) return;
      // Names of nodes differ at their ends.
      shown = style.tail ? `…${text.slice(-letters)}` : `${text.slice(0, letters)}…`;
    }
    this.labels.push({ text: shown, x, y, ...style });
  }

  drawLabels() {
    const { ctx } = this;
    ctx.textBaseline = "middle";
    let font = "";
    for (const label of this.labels) {
      const next = `${label.bold ? "600 " : ""}${label.size.toFixed(1)}px ${FONT}`;
      if (next !== font) ctx.font = font = next;
      ctx.fillStyle = label.color;
      ctx.textAlign = label.align ?? "left";
      ctx.fillText(label.text, label.x, label.y);
    }
  }

  // The domains that a question is about, in front of the veiled rest.
  drawMarks() {
    const { marks, pins, palette, focus } = this.scene;
    if (!marks.length && !pins.length) {
      if (focus > 0) this.veil([this.rect(focus)], 0.55);
      return;
    }
    const pinned = pins.map((pin) => ({ ...pin, r: this.placeOf(pin) })).filter(({ r }) => this.visible(r));
    const seen = marks.map((mark) => ({ ...mark, r: this.rect(mark.at) })).filter(({ r }) => this.visible(r));
    const { ctx } = this;
    this.veil((pins.length ? pinned : seen).map(({ r }) => r), 1);
    this.drawPins(pinned);
    for (const { r, strength, text, good } of seen) {
      const line = 1 + 2 * strength;
      ctx.globalAlpha = 0.35 + 0.65 * strength;
      ctx.strokeStyle = good ? palette.stops.at(-2) : palette.warm;
      ctx.lineWidth = line;
      ctx.beginPath();
      ctx.roundRect(r.x + line / 2, r.y + line / 2, Math.max(1, r.w - line), Math.max(1, r.h - line), Math.min(6, r.w * 0.05));
      ctx.stroke();
      ctx.globalAlpha = 1;
      if (text && r.w > 30 && r.h > 20) this.badge(text, r, ctx.strokeStyle);
    }
  }

  // The nodes of the selected gang or workload; a box that hides its nodes gets the number of pods in it.
  drawPins(pins) {
    const { ctx } = this;
    ctx.strokeStyle = ctx.fillStyle = this.scene.palette.stops.at(-2);
    for (const { r, node, pods } of pins) {
      const line = Math.max(1, Math.min(2.5, r.h * 0.2));
      ctx.lineWidth = line;
      ctx.strokeRect(r.x + line / 2, r.y + line / 2, Math.max(1, r.w - line), Math.max(1, r.h - line));
      if (node < 0 && r.w > 24 && r.h > 18) this.badge(`${pods}`, r, ctx.strokeStyle);
    }
  }

  placeOf(spot) {
    const place = this.scene.layout.spot(spot);
    return this.snapped(place.x, place.y, place.w, place.h);
  }

  // Pales everything but these.
  veil(rects, strength) {
    const { ctx } = this;
    const { palette, width, height } = this.scene;
    ctx.globalAlpha = strength;
    ctx.fillStyle = palette.veil;
    ctx.beginPath();
    ctx.rect(0, 0, width, height);
    for (const r of rects) ctx.rect(r.x, r.y, r.w, r.h);
    ctx.fill("evenodd");
    ctx.globalAlpha = 1;
  }

  badge(text, r, color) {
    const { ctx } = this;
    const size = Math.max(10, Math.min(13, r.h * 0.3));
    const w = this.width(text, size, true) + size * 1.1;
    const h = size * 1.6;
    if (w > r.w + 8) return;
    const x = Math.max(r.x, Math.min(r.x + r.w / 2 - w / 2, r.x + r.w - w));
    const y = r.y + r.h - h - Math.min(6, r.h * 0.06);
    ctx.fillStyle = color;
    ctx.beginPath();
    ctx.roundRect(x, y, w, h, h / 2);
    ctx.fill();
    ctx.font = `600 ${size}px ${FONT}`;
    ctx.fillStyle = this.scene.palette.inverse;
    ctx.textAlign = "center";
    ctx.fillText(text, x + w / 2, y + h / 2 + 0.5);
  }

  outline(spot, line, color, dash = []) {
    if (!spot) return;
    const r = this.placeOf(spot);
    if (!this.visible(r)) return;
    const { ctx } = this;
    ctx.strokeStyle = color;
    ctx.lineWidth = line;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.roundRect(r.x + line / 2, r.y + line / 2, Math.max(1, r.w - line), Math.max(1, r.h - line), Math.min(6, r.w * 0.05));
    ctx.stroke();
    ctx.setLineDash([]);
  }

  // Whether the inside of a box is drawn, and so can be pointed at.
  opens(at) {
    const { tree, layout, view, store } = this.scene;
    const [first] = tree.children[at];
    if (first !== undefined) return Math.min(layout.w[first], layout.h[first]) * view.k >= MIN_CHILD;
    if (!store.get(tree, at)) return false;
    const c = layout.cell(at, 0);
    return Math.min(c.w, c.h) * view.k >= (tree.nodeCount[at] > MANY ? MIN_DOT : MIN_CELL);
  }
}
