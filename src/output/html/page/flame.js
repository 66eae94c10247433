// A tree of boxes on a canvas: flame graph or icicle, with zoom, marks, and a box selected by mouse or keyboard.

const ROW = 19;

class FlameView {
  // `base`: the level of the lowest row shown. In a tree ordered by time, zooming is left to `on`. on: { hover(box or null, event), zoom(node), pick(frame), color(frame, share, shareBefore) or nothing }
  constructor(profile, canvas, on, base = 0) {
    Object.assign(this, { profile, canvas, on, base, tree: null, root: 0, chosen: -1, marked: null, down: false });
    this.context = canvas.getContext("2d");
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mouseleave", () => { this.under = -1; on.hover(null); this.draw(); });
    canvas.addEventListener("click", (event) => {
      const node = this.at(event.offsetX, event.offsetY);
      if (node >= 0) this.zoom(node === this.root && this.tree.depth[node] > this.base ? this.tree.parents[node] : node);
    });
    canvas.addEventListener("contextmenu", (event) => {
      const node = this.at(event.offsetX, event.offsetY);
      if (node <= 0) return;
      event.preventDefault();
      on.pick(this.tree.frames[node]);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.under = -1;
  }

  show(tree, root, down) {
    Object.assign(this, { tree, root, down, under: -1 });
    this.canvas.classList.toggle("down", down);
    if (this.chosen >= tree.parents.length) this.chosen = -1;
    this.draw();
  }
  zoom(node) {
    if (this.tree.ordered) return this.on.zoom(node);
    this.root = this.chosen = node;
    this.on.zoom(node);
    this.draw();
    this.reveal(node);
  }
  mark(marked) {
    this.marked = marked;
    this.draw();
  }

  // The number of visible levels, including the dimmed callers below the root.
  levels() { return this.tree.levels - this.base; }
  y(depth) { return this.down ? (depth - this.base) * ROW : (this.levels() - 1 - depth + this.base) * ROW; }

  draw() {
    const { canvas, context, tree } = this;
    if (!tree) return;
    const width = canvas.parentElement.clientWidth, height = this.levels() * ROW, ratio = window.devicePixelRatio || 1;
    if (width === 0) return;
    const scale = Math.min(ratio, 16000 / height);
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    context.clearRect(0, 0, width, height);
    context.font = '11.5px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
    context.textBaseline = "middle";
    this.letter = context.measureText("m").width;
    this.back = cssColor("--back");
    this.width = width;
    this.rows = [];  // by depth: [x, end, node] from left to right, for finding
    for (let at = this.root; tree.depth[at] > this.base; at = tree.parents[at]) this.floor(tree.parents[at]);
    this.boxes(this.root, 0, width);
  }
  floor(node) { this.box(node, 0, this.width, 0.45); }

  boxes(root, x, width) {
    const { tree } = this, unit = width / Math.max(tree.extent[root], 1e-9);
    const open = [[root, x, width]];
    while (open.length > 0) {
      const [node, left, wide] = open.pop();
      this.box(node, left, wide, 1);
      for (let i = tree.first[node]; i < tree.first[node + 1]; ++i) {
        const child = tree.order[i], own = tree.extent[child] * unit;
        if (own >= 0.25) open.push([child, left + (tree.left[child] - tree.left[node]) * unit, own]);
      }
    }
  }

  box(node, x, width, opacity) {
    const { context, tree, profile } = this, frame = tree.frames[node], y = this.y(tree.depth[node]);
    (this.rows[tree.depth[node]] ||= []).push([x, x + width, node]);
    const marked = this.marks(node);
    context.globalAlpha = opacity;
    context.fillStyle = this.colorOf(node);
    context.fillRect(x, y, Math.max(width - (tree.ordered && width < 3 ? 0 : 0.6), 0.4), ROW - 1);
    context.globalAlpha = 1;
    const room = Math.floor((width - 8) / this.letter);
    if (room >= 3) {
      const name = node === 0 ? "all" : profile.frameNames[frame];
      context.fillStyle = marked ? "#fff" : opacity < 1 ? cssColor("--text") : "#111";
      context.fillText(name.length <= room ? name : name.slice(0, room - 1) + "…", x + 4, y + ROW / 2);
    }
    if (node === this.under || node === this.chosen) {
      context.strokeStyle = node === this.chosen ? cssColor("--accent") : cssColor("--text");
      context.lineWidth = node === this.chosen ? 2 : 1;
      context.strokeRect(x + 1, y + 1, Math.max(width - 2.6, 1), ROW - 3);
    }
  }
  marks(node) { return Boolean(this.marked && node !== 0 && this.marked[this.tree.frames[node]]); }
  colorOf(node) { return this.marks(node) ? "#b5179e" : this.fill(node, this.tree.frames[node]); }
  fill(node, frame) {
    const { tree, profile } = this;
    if (!profile.compared || node === 0) return profile.colors[frame];
    return changeColor(tree.total[node] / Math.max(tree.total[0], 1), tree.totalBefore[node] / profile.wholeBefore(tree.total[0], tree.totalBefore[0]));
  }

  // The box at a place, or -1.
  at(x, y) {
    const row = Math.floor(y / ROW), depth = this.base + (this.down ? row : this.levels() - 1 - row);
    for (const [left, end, node] of (this.rows && this.rows[depth]) || []) if (x >= left && x < Math.max(end, left + 1)) return node;
    return -1;
  }
  hover(event) {
    const node = this.at(event.offsetX, event.offsetY);
    if (node !== this.under) {
      this.under = node;
      this.draw();
    }
    this.on.hover(node >= 0 ? { tree: this.tree, node, root: this.root } : null, event);
  }

  reveal(node) {
    const scroll = this.canvas.parentElement, y = this.y(this.tree.depth[node]);
    if (y < scroll.scrollTop || y > scroll.scrollTop + scroll.clientHeight - 2 * ROW)
      scroll.scrollTop = Math.max(0, y - scroll.clientHeight * (this.down ? 0.25 : 0.75));
  }

  siblings(node) {
    const parent = this.tree.parents[node];
    return Array.from(this.tree.order.subarray(this.tree.first[parent], this.tree.first[parent + 1])).filter((at) => this.tree.total[at] > 0);
  }
  // Arrows move outwards, inwards and to the neighbours. Enter zooms in, Backspace zooms out by one box.
  key(event) {
    if (!this.tree || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = this.chosen < 0 ? this.root : this.chosen, up = this.down ? "ArrowDown" : "ArrowUp", back = this.down ? "ArrowUp" : "ArrowDown";
    let to = -1;
    if (event.key === up) {
      const children = Array.from(this.tree.order.subarray(this.tree.first[from], this.tree.first[from + 1]));
      to = children.reduce((widest, at) => (widest < 0 || this.tree.total[at] > this.tree.total[widest] ? at : widest), -1);
    } else if (event.key === back) {
      to = this.tree.depth[from] <= this.base ? from : this.tree.parents[from];
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const all = this.siblings(from), place = all.indexOf(from) + (event.key === "ArrowLeft" ? -1 : 1);
      to = from === 0 || place < 0 || place >= all.length ? from : all[place];
    } else if (event.key === "Enter") {
      this.zoom(from);
    } else if (event.key === "Backspace") {
      if (this.tree.depth[this.root] > this.base) this.zoom(this.tree.parents[this.root]);
    } else if (event.key === "s" && from !== 0) {
      this.on.pick(this.tree.frames[from]);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (to < 0 || this.tree.total[to] <= 0) return;
    this.chosen = to;
    this.draw();
    this.reveal(to);
    this.on.hover({ tree: this.tree, node: to, root: this.root });
  }
}
