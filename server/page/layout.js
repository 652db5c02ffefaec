// Where boxes stand: equal boxes in a grid, in a grid, in a grid. World coordinates are the canvas's pixels
// while everything is shown.

const INNER_ASPECT = 1.15;
const LAST_ASPECT = 0.86;
const NODE_ASPECT = 3.6;
const EMPTY_COST = 2;
const MIN_HEADER = 15;
const MAX_HEADER = 26;

// Columns for n equal boxes whose width/height comes near `aspect`, with few places left empty.
export function columnsFor(n, width, height, aspect) {
  let best = 1;
  let least = Infinity;
  const guess = Math.sqrt((n * width) / Math.max(height, 1e-9) / aspect);
  const from = Math.max(1, Math.floor(guess * 0.5));
  const to = Math.min(n, Math.ceil(guess * 2) + 1);
  for (let columns = from; columns <= to; columns += 1) {
    const rows = Math.ceil(n / columns);
    const is = width / columns / (height / rows);
    const cost = Math.abs(Math.log(is / aspect)) + (EMPTY_COST * (rows * columns - n)) / n;
    if (cost < least) {
      least = cost;
      best = columns;
    }
  }
  return best;
}

export class Layout {
  constructor(tree, width, height) {
    this.tree = tree;
    this.width = width;
    this.height = height;
    this.x = new Float64Array(tree.size);
    this.y = new Float64Array(tree.size);
    this.w = new Float64Array(tree.size);
    this.h = new Float64Array(tree.size);
    this.header = new Float64Array(tree.size);
    this.gap = new Float64Array(tree.size);
    this.columns = new Int32Array(tree.size);
    this.rows = new Int32Array(tree.size);
    this.place(0, 0, 0, width, height);
  }

  place(at, x, y, w, h) {
    const { tree } = this;
    this.x[at] = x;
    this.y[at] = y;
    this.w[at] = w;
    this.h[at] = h;
    const small = Math.min(w, h);
    this.gap[at] = Math.min(small * 0.025, 7);
    this.header[at] = at === 0 ? 0 : Math.min(Math.max(h * 0.12, Math.min(MIN_HEADER, h * 0.2)), MAX_HEADER);
    const children = tree.children[at];
    const inner = this.inner(at);
    if (!children.length) {
      // Siblings get the same grid, so that a missing node is seen.
      const parent = tree.parent[at];
      const most = parent >= 0 && !tree.loose[at] ? Math.max(tree.nodeCount[at], this.most(parent)) : tree.nodeCount[at];
      const n = Math.max(1, most);
      const aspect = n > 400 ? 1 : NODE_ASPECT;
      this.columns[at] = columnsFor(n, inner.w, inner.h, aspect);
      this.rows[at] = Math.ceil(n / this.columns[at]);
      return;
    }
    const last = tree.holdsNodes(children[0]);
    const columns = columnsFor(children.length, inner.w, inner.h, last ? LAST_ASPECT : INNER_ASPECT);
    const rows = Math.ceil(children.length / columns);
    this.columns[at] = columns;
    this.rows[at] = rows;
    const gap = Math.min(this.gap[at], (inner.w / columns) * 0.12, (inner.h / rows) * 0.12);
    const cell = { w: (inner.w - gap * (columns - 1)) / columns, h: (inner.h - gap * (rows - 1)) / rows };
    children.forEach((child, index) => {
      const column = index % columns;
      const row = Math.floor(index / columns);
      this.place(child, inner.x + column * (cell.w + gap), inner.y + row * (cell.h + gap), cell.w, cell.h);
    });
  }

  // The most nodes that a child of `parent` has; children differ little, so a lone giant may set the grid.
  most(parent) {
    this.mostOf ??= new Map();
    if (!this.mostOf.has(parent)) {
      let most = 0;
      for (const child of this.tree.children[parent]) {
        if (!this.tree.loose[child]) most = Math.max(most, this.tree.nodeCount[child]);
      }
      this.mostOf.set(parent, most);
    }
    return this.mostOf.get(parent);
  }

  // What is left for children.
  inner(at) {
    const pad = this.gap[at];
    const top = Math.max(this.header[at], pad);
    return {
      x: this.x[at] + pad, y: this.y[at] + top,
      w: this.w[at] - 2 * pad, h: this.h[at] - top - pad,
    };
  }

  // The cell of node `index` in the box `at`.
  cell(at, index, inner = this.inner(at)) {
    const w = inner.w / this.columns[at];
    const h = inner.h / this.rows[at];
    return {
      x: inner.x + (index % this.columns[at]) * w,
      y: inner.y + Math.floor(index / this.columns[at]) * h, w, h,
    };
  }

  // The place of {at, node}; node -1 is the box itself.
  spot({ at, node }) {
    if (node >= 0) return this.cell(at, node);
    return { x: this.x[at], y: this.y[at], w: this.w[at], h: this.h[at] };
  }

  // What is at a point, not looking into boxes that `opens` keeps shut. `nodes(at)`: how many it has to show.
  hit(x, y, opens, nodes) {
    let at = 0;
    for (;;) {
      if (!opens(at)) return { at, node: -1 };
      const child = this.tree.children[at].find((c) =>
        x >= this.x[c] && x < this.x[c] + this.w[c] && y >= this.y[c] && y < this.y[c] + this.h[c]);
      if (child === undefined) break;
      at = child;
    }
    if (this.tree.holdsNodes(at)) {
      const inner = this.inner(at);
      const column = Math.floor(((x - inner.x) / inner.w) * this.columns[at]);
      const row = Math.floor(((y - inner.y) / inner.h) * this.rows[at]);
      const index = row * this.columns[at] + column;
      const inside = column >= 0 && column < this.columns[at] && row >= 0;
      if (inside && index < nodes(at)) return { at, node: index };
    }
    return { at, node: -1 };
  }
}
