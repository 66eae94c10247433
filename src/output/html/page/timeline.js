// Samples over time, as one strip. Dragging selects a range; matches of the search are highlighted.

class Timeline {
  // choose(range or null)
  constructor(profile, canvas, choose) {
    Object.assign(this, { profile, canvas, choose, slots: null, marked: null, range: null });
    this.listen(canvas);
    canvas.addEventListener("keydown", (event) => this.key(event));
  }
  // Dragging on this canvas selects a range. The canvas is as wide as the time line. click(event): instead of clearing the range
  listen(canvas, click) {
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.from = this.slotAt(event.offsetX);
      this.kept = this.range;
    });
    canvas.addEventListener("pointermove", (event) => {
      this.pointer = this.slotAt(event.offsetX);
      if (this.from !== undefined) this.range = this.span(this.from, this.pointer);
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (this.from === undefined) return;
      const to = this.slotAt(event.offsetX), clicked = Math.abs(to - this.from) < 1 && this.profile.time.slots > 3;
      if (clicked && click) this.range = this.kept;
      else this.range = clicked ? null : this.span(this.from, to);
      this.from = undefined;
      if (clicked && click) click(event);
      else this.choose(this.range);
    });
    canvas.addEventListener("pointerleave", () => { this.pointer = undefined; this.draw(); });
  }
  span(a, b) { return [Math.min(a, b), Math.min(Math.max(a, b) + 1, this.profile.time.slots)]; }
  slotAt(x) {
    const slots = this.profile.time.slots;
    return Math.max(0, Math.min(slots - 1, Math.floor(x / Math.max(this.canvas.clientWidth, 1) * slots)));
  }
  show(slots, marked, range) {
    Object.assign(this, { slots, marked, range });
    this.draw();
  }
  // Arrow keys move the range; with Shift they widen it.
  key(event) {
    const { slots } = this.profile.time, step = Math.max(1, Math.round(slots / 50));
    const way = event.key === "ArrowRight" ? step : event.key === "ArrowLeft" ? -step : 0;
    if (way === 0) return;
    event.preventDefault();
    const [from, to] = this.range || [0, step];
    const next = event.shiftKey ? [from, to + way] : [from + way, to + way];
    if (next[0] < 0 || next[1] > slots || next[1] <= next[0]) return;
    this.choose(this.range = next);
  }

  draw() {
    const { canvas, slots } = this;
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!slots || width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = cssColor("--panel");
    context.fillRect(0, 0, width, height);
    const each = Math.ceil(slots.length / Math.max(width / 2, 1));
    const sums = this.columns(slots, each), most = Math.max(...sums, 1e-9), bar = width / slots.length * each;
    this.bars(context, sums, most, bar, height, cssColor("--bar"));
    if (this.marked) this.bars(context, this.columns(this.marked, each), most, bar, height, cssColor("--mark"));
    const place = (slot) => slot / slots.length * width;
    if (this.range) {
      context.fillStyle = cssColor("--back") + "b0";
      context.fillRect(0, 0, place(this.range[0]), height);
      context.fillRect(place(this.range[1]), 0, width - place(this.range[1]), height);
      context.strokeStyle = cssColor("--accent");
      context.strokeRect(place(this.range[0]) + 0.5, 0.5, Math.max(1, place(this.range[1]) - place(this.range[0]) - 1), height - 1);
    }
    if (this.pointer !== undefined) {
      context.fillStyle = cssColor("--text");
      context.fillRect(place(this.pointer + 0.5), 0, 1, height);
      context.font = "11px system-ui, sans-serif";
      // While a range is dragged, its end is that of the last slot.
      const end = this.from !== undefined && this.pointer >= this.from ? 1 : 0;
      const text = duration((this.pointer + end) * this.profile.time.length), x = place(this.pointer + 0.5) + 4;
      context.fillText(text, x + 60 > width ? x - 8 - context.measureText(text).width : x, 12);
    }
  }
  // All bars cover the same number of slots, so their heights are comparable.
  columns(slots, each) {
    const sums = new Float64Array(Math.ceil(slots.length / each));
    for (let i = 0; i < slots.length; ++i) sums[Math.floor(i / each)] += slots[i];
    return sums;
  }
  bars(context, sums, most, bar, height, color) {
    context.fillStyle = color;
    sums.forEach((sum, at) => {
      const tall = sum / most * (height - 4);
      if (sum > 0) context.fillRect(at * bar, height - Math.max(tall, 1), Math.max(bar - (bar > 3 ? 1 : 0), 0.6), Math.max(tall, 1));
    });
  }
}
