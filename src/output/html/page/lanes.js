// One row per thread or CPU below the time line: how busy it was and, if waits were recorded, when it was off the CPU.

const LANE = 17;

class Lanes {
  // `timeline` selects ranges for both. `names` is the column of labels left of the rows. on: { hover(lane or null, event) }
  constructor(profile, canvas, names, timeline, on) {
    Object.assign(this, { profile, canvas, names, timeline, on, shown: [], kind: "" });
    const { rows, length, slots, ...columns } = profile.lanes;
    Object.assign(this, { rows, length, slots });
    this.sums = profile.series.map(() => ({ period: rows.map(() => new Map()), samples: rows.map(() => new Map()) }));
    const [series, lane, slot] = [columns.series, columns.lane, columns.slot].map(addUp);
    for (let at = 0; at < slot.length; ++at)
      for (const measure of ["period", "samples"]) this.sums[series[at]][measure][lane[at]].set(slot[at], columns[measure][at]);
    this.waits = profile.series.findIndex((one) => one.waits);
    this.placed = this.waits >= 0 && !profile.series[this.waits].summed;
    timeline.listen(canvas);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => on.hover(null));
  }
  static kinds(profile) {
    if (!profile.lanes) return [];
    const cpus = profile.lanes.rows.filter((row) => row.cpu !== undefined).length;
    return cpus > 0 ? ["threads", "cpus"] : ["threads"];
  }

  label(row) {
    if (row.cpu !== undefined) return `CPU ${row.cpu}`;
    return row.joined ? `${grouped(row.joined)} other threads` : `${row.name} ${row.pid === row.tid ? row.tid : row.pid + "/" + row.tid}`;
  }
  // The sum of a row in a range of slots of the time line, or at all times.
  sum(lane, series, measure, range) {
    const times = this.length / this.profile.time.length;
    let sum = 0;
    for (const [slot, value] of this.sums[series][measure][lane])
      if (!range || ((slot + 1) * times > range[0] && slot * times < range[1])) sum += value;
    return sum;
  }

  show(kind, series, measure, range) {
    const again = `${kind} ${series} ${measure} ${this.timeline.canvas.clientWidth} ${document.documentElement.className}`;
    Object.assign(this, { kind, series, measure, range });
    this.shown = Array.from(this.rows.keys()).filter((at) => (this.rows[at].cpu !== undefined) === (kind === "cpus"));
    if (again !== this.painted) {
      this.paint();
      this.showNames();
    }
    this.painted = again;
    this.draw();
  }

  showNames() {
    this.names.replaceChildren(...this.shown.map((lane) => {
      const name = element("div", { textContent: this.label(this.rows[lane]) });
      name.onpointermove = (event) => this.on.hover(lane, event);
      name.onpointerleave = () => this.on.hover(null);
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
    this.shown.forEach((lane, row) => this.paintRow(context, lane, row * LANE, { each, bars, wide, full, width }));
  }
  // The value of a full bar: its duration, or the maximum of all bars.
  full(each) {
    if (this.measure === "period" && this.profile.series[this.series].unit === "ns") return this.length * each;
    let most = 1e-9;
    for (const lane of this.shown) for (const sum of this.bars(lane, this.series, each).values()) most = Math.max(most, sum);
    return most;
  }
  bars(lane, series, each) {
    const sums = new Map();
    for (const [slot, value] of this.sums[series][this.measure][lane]) {
      const bar = Math.floor(slot / each);
      sums.set(bar, (sums.get(bar) || 0) + value);
    }
    return sums;
  }
  paintRow(context, lane, y, { each, wide, full, width }) {
    const height = LANE - 2, draw = (series, color, share) => {
      context.fillStyle = color;
      for (const [bar, sum] of this.bars(lane, series, each)) {
        const tall = Math.max(1, Math.min(1, sum / share) * height);
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
    if (this.range) {
      const place = (slot) => slot / this.profile.time.slots * width;
      context.fillStyle = cssColor("--back") + "b0";
      context.fillRect(0, 0, place(this.range[0]), height);
      context.fillRect(place(this.range[1]), 0, width - place(this.range[1]), height);
    }
  }

  hover(event) {
    const lane = this.shown[Math.floor(event.offsetY / LANE)];
    this.on.hover(lane === undefined ? null : lane, event);
  }
}

Page.prototype.hoverLane = function (lane, event) {
  const tip = byId("tip"), { state, lanes, profile } = this;
  tip.hidden = lane === null;
  if (lane === null) return;
  const row = lanes.rows[lane], sum = lanes.sum(lane, state.series, state.measure, state.range);
  const words = [`${amount(sum, this.unit())}, ${percent(sum, this.whole)}${state.range ? " of the selection" : ""}`];
  if (row.waited > 0) words.push(`off the CPU: ${duration(row.waited)} in total`);
  if (row.joined) words.push("only the busiest threads have a row");
  tip.replaceChildren(element("b", { textContent: lanes.label(row) }), ...words.map((text) => element("div", { textContent: text })));
  placeTip(event);
};

// Shows the buttons to the right of the range, and the rows.
Page.prototype.showLanes = function (host) {
  const { state, profile } = this, kinds = Lanes.kinds(profile);
  const titles = { threads: "Threads", cpus: "CPUs" };
  const buttons = kinds.map((kind) => toggle(titles[kind], state.lanes === kind, () => this.set({ lanes: state.lanes === kind ? "" : kind }, true), `Show one row per ${kind === "cpus" ? "CPU" : "thread"} below the time line (l)`));
  if (kinds.length > 0) host.append(element("span", { className: "grow" }), ...buttons);

  byId("lanes-scroll").hidden = state.lanes === "";
  if (state.lanes !== "") this.lanes.show(state.lanes, state.series, state.measure, state.range);
};
Page.prototype.nextLanes = function () {
  const kinds = ["", ...Lanes.kinds(this.profile)];
  this.set({ lanes: kinds[(kinds.indexOf(this.state.lanes) + 1) % kinds.length] }, true);
};
