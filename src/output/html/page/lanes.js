// One row per thread, thread name or CPU below the time line: how busy it was and, if waits were recorded, when it was off
// the CPU. A lane is the data of a thread or CPU; a row shows one lane, or all lanes of threads with one name.

const LANE = 17;

class Lanes {
  // `timeline` selects ranges for both. `names` is the column of labels left of the rows.
  // on: { hover(row or null, event), pick(row, add) }
  constructor(profile, canvas, names, timeline, on) {
    Object.assign(this, { profile, canvas, names, timeline, on, shown: [] });
    const { rows, length, slots, ...columns } = profile.lanes;
    Object.assign(this, { rows, length, slots });
    this.sums = profile.series.map(() => ({ period: rows.map(() => new Map()), samples: rows.map(() => new Map()) }));
    const [series, lane, slot] = [columns.series, columns.lane, columns.slot].map(addUp);
    for (let at = 0; at < slot.length; ++at)
      for (const measure of ["period", "samples"]) this.sums[series[at]][measure][lane[at]].set(slot[at], columns[measure][at]);
    this.waits = profile.series.findIndex((one) => one.waits);
    this.placed = this.waits >= 0 && !profile.series[this.waits].summed;
    timeline.listen(canvas, (event) => this.pick(this.shown[Math.floor(event.offsetY / LANE)], event));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => on.hover(null));
  }
  static kinds(profile) {
    if (!profile.lanes) return [];
    const cpus = profile.lanes.rows.filter((row) => row.cpu !== undefined).length;
    return cpus > 0 ? ["threads", "cpus"] : ["threads"];
  }

  laneLabel(lane) {
    const row = this.rows[lane];
    if (row.cpu !== undefined) return `CPU ${row.cpu}`;
    return row.joined ? `${grouped(row.joined)} other threads` : `${row.name} ${row.pid === row.tid ? row.tid : row.pid + "/" + row.tid}`;
  }
  // The rows of a kind. `merged`: one row for each name of threads, with the first of them in order.
  rowsOf(kind, merged) {
    const rows = [], byName = new Map();
    for (const [lane, { cpu, name, joined }] of this.rows.entries()) {
      if ((cpu !== undefined) !== (kind === "cpus")) continue;
      const known = merged && !joined && kind === "threads" ? byName.get(name) : undefined;
      if (known) known.lanes.push(lane);
      else rows.push({ lanes: [lane] });
      if (!known && merged) byName.set(name, rows[rows.length - 1]);
    }
    for (const row of rows) row.label = row.lanes.length > 1 ? `${this.rows[row.lanes[0]].name} (${grouped(row.lanes.length)})` : this.laneLabel(row.lanes[0]);
    return rows;
  }
  // The sum of a row in a range of slots of the time line, or at all times.
  sum(row, series, measure, range) {
    const times = this.length / this.profile.time.length;
    let sum = 0;
    for (const lane of row.lanes)
      for (const [slot, value] of this.sums[series][measure][lane])
        if (!range || ((slot + 1) * times > range[0] && slot * times < range[1])) sum += value;
    return sum;
  }
  waited(row) { return row.lanes.reduce((sum, lane) => sum + (this.rows[lane].waited || 0), 0); }
  chosen(row) { return this.set !== null && row.lanes.every((lane) => this.set[lane]); }

  // `set`: marks of the chosen threads' lanes, or null. `pattern`: of names shown, or null.
  show({ lanes: kind, merged, named, series, measure, range }, set, pattern) {
    const again = JSON.stringify([kind, merged, named, series, measure, this.timeline.canvas.clientWidth, document.documentElement.className]);
    Object.assign(this, { series, measure, range, set });
    if (again !== this.painted) {
      const all = this.rowsOf(kind, merged);
      this.shown = pattern && kind === "threads" ? all.filter((row) => pattern.test(row.label)) : all;
      this.canvas.classList.toggle("threads", kind === "threads" && this.profile.threaded);
      this.paint();
    }
    this.painted = again;
    this.showNames();
    this.draw();
  }
  pick(row, event) {
    if (row && this.rows[row.lanes[0]].cpu === undefined) this.on.pick(row, event.ctrlKey || event.metaKey || event.shiftKey);
  }

  showNames() {
    this.names.replaceChildren(...this.shown.map((row) => {
      const name = element("div", { textContent: row.label }), thread = this.profile.threaded && this.rows[row.lanes[0]].cpu === undefined;
      name.onpointermove = (event) => this.on.hover(row, event);
      name.onpointerleave = () => this.on.hover(null);
      if (!thread) return name;
      Object.assign(name, { className: "thread", tabIndex: 0, onclick: (event) => this.pick(row, event), onkeydown: (event) => { if (event.key === "Enter") this.pick(row, event); } });
      name.classList.toggle("chosen", this.chosen(row));
      name.setAttribute("role", "button");
      name.setAttribute("aria-pressed", String(this.chosen(row)));
      return name;
    }));
  }

  // Paints the rows without the range; the picture is kept for redrawing.
  paint() {
    const width = this.timeline.canvas.clientWidth, height = this.shown.length * LANE, ratio = Math.min(window.devicePixelRatio || 1, 16000 / Math.max(height, 1));
    if (width === 0) return;
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    this.picture = Object.assign(document.createElement("canvas"), { width: width * ratio, height: height * ratio });
    this.canvas.width = this.picture.width;
    this.canvas.height = this.picture.height;
    const context = this.picture.getContext("2d");
    context.scale(ratio, ratio);
    this.ratio = ratio;
    const each = Math.ceil(this.slots / Math.max(width / 2, 1)), bars = Math.ceil(this.slots / each);
    // The last slot may end beyond the time line.
    const wide = this.length * each / (this.profile.time.length * this.profile.time.slots) * width;
    const full = this.full(each);
    this.shown.forEach((row, at) => this.paintRow(context, row, at * LANE, { each, bars, wide, full, width }));
  }
  // The value of a full bar: its duration, times the threads of the row; for other values, the maximum of all bars.
  full(each) {
    if (this.measure === "period" && this.profile.series[this.series].unit === "ns") return this.length * each;
    let most = 1e-9;
    for (const row of this.shown) for (const sum of this.bars(row, this.series, each).values()) most = Math.max(most, sum / row.lanes.length);
    return most;
  }
  bars(row, series, each) {
    const sums = new Map();
    for (const lane of row.lanes)
      for (const [slot, value] of this.sums[series][this.measure][lane]) {
        const bar = Math.floor(slot / each);
        sums.set(bar, (sums.get(bar) || 0) + value);
      }
    return sums;
  }
  paintRow(context, row, y, { each, wide, full, width }) {
    const height = LANE - 2, draw = (series, color, share) => {
      context.fillStyle = color;
      for (const [bar, sum] of this.bars(row, series, each)) {
        const tall = Math.max(1, Math.min(1, sum / share / row.lanes.length) * height);
        context.fillRect(bar * wide, y + height - tall, Math.max(wide - (wide > 3 ? 1 : 0), 0.7), tall);
      }
    };
    context.fillStyle = cssColor("--panel");
    context.fillRect(0, y, width, height);
    if (this.placed && this.measure === "period") draw(this.waits, cssColor("--wait"), this.length * each);
    if (this.series !== this.waits) draw(this.series, cssColor("--bar"), full);
  }

  draw() {
    if (!this.picture) return;
    const context = this.canvas.getContext("2d"), width = this.canvas.width / this.ratio, height = this.canvas.height / this.ratio;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.picture, 0, 0, width, height);
    this.shown.forEach((row, at) => {
      if (this.set === null || this.chosen(row)) return;
      context.fillStyle = cssColor("--back") + "b0";
      context.fillRect(0, at * LANE, width, LANE);
    });
    if (this.range) {
      const place = (slot) => slot / this.profile.time.slots * width;
      context.fillStyle = cssColor("--back") + "b0";
      context.fillRect(0, 0, place(this.range[0]), height);
      context.fillRect(place(this.range[1]), 0, width - place(this.range[1]), height);
    }
  }

  hover(event) {
    this.on.hover(this.shown[Math.floor(event.offsetY / LANE)] || null, event);
  }
}
