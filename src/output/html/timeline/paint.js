// Paints lanes into pixels. The cost depends on the number of pixels, not of events: where several rows fall into one
// column of pixels, their sum is found by binary search.

const MOST_DRAWN = 2e6;  // rows in view; beyond that, the overview

// 0xAABBGGRR of hue, saturation and lightness.
function pixelColor(hue, saturation, lightness) {
  const share = saturation * Math.min(lightness, 1 - lightness);
  const part = (at) => {
    const k = (at + hue / 30) % 12;
    return Math.round(255 * (lightness - share * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return (255 << 24 | part(4) << 16 | part(8) << 8 | part(0)) >>> 0;
}
function pixelOf(css) {
  const hex = css.replace("#", "");
  return (255 << 24 | parseInt(hex.slice(4, 6), 16) << 16 | parseInt(hex.slice(2, 4), 16) << 8 | parseInt(hex.slice(0, 2), 16)) >>> 0;
}

class Palette {
  constructor(store, dark) {
    const base = dark ? 0.42 : 0.68;
    // Okabe and Ito's hues first, then shades of them.
    const hues = [202, 41, 164, 327, 26, 215, 55, 285, 180, 0, 100, 240];
    this.tasks = Uint32Array.from(store.head.tasks.comm, (comm, task) => {
      const hash = hashOf(comm.replace(/[0-9]+/g, ""));
      return task === 0 ? 0 : pixelColor(hues[hash % hues.length], 0.62, base + ((hash >> 5) % 5 - 2) * 0.03);
    });
    this.back = pixelOf(cssColor("--back"));
    this.panel = pixelOf(cssColor("--panel"));
    this.grid = pixelOf(cssColor("--grid"));
    this.dim = pixelOf(cssColor("--dim"));
    this.run = pixelColor(150, 0.55, dark ? 0.42 : 0.55);
    this.wait = pixelColor(38, 0.95, dark ? 0.5 : 0.6);
    this.blocked = pixelColor(350, 0.7, dark ? 0.5 : 0.62);
    this.sleep = this.grid;
    this.call = pixelColor(222, 0.5, dark ? 0.52 : 0.7);
    this.interrupts = [0, pixelColor(280, 0.55, 0.55), pixelColor(320, 0.6, 0.6), pixelColor(260, 0.4, 0.65)];
    this.step = pixelColor(202, 0.6, dark ? 0.4 : 0.7);
  }
  state(kind) { return kind === RUNS ? this.run : kind === WAITS ? this.wait : kind === BLOCKED ? this.blocked : this.sleep; }
}

// What the colors of the lanes mean, as far as the recording has them: [pixel color, words].
function legendOf(store, layout, palette) {
  const { types, devices } = store.head, has = (pattern) => types.some((type) => type.count > 0 && pattern.test(type.name)), rows = [];
  if (layout.states) rows.push([palette.run, "task runs"], [palette.wait, "waits for a CPU"], [palette.blocked, "blocked"], [palette.dim, "asleep (line), event (tick)"]);
  else rows.push([palette.dim, "event (tick)"]);
  if (has(/syscalls:sys_enter/)) rows.push([palette.call, "system call"]);
  if (has(/^irq:irq_handler/)) rows.push([palette.interrupts[1], "interrupt"]);
  if (has(/^irq:softirq/)) rows.push([palette.interrupts[2], "softirq"]);
  if (has(/^irq_vectors:/)) rows.push([palette.interrupts[3], "interrupt vector"]);
  rows.push([palette.step, ["number of events", devices.length > 0 && "I/O request", layout.hasSteps[0] && "frequency", layout.hasSteps[1] && "idle state"].filter(Boolean).join(", ")]);
  return rows;
}

class Painter {
  constructor(store, layout) {
    Object.assign(this, { store, layout, labels: new Map(), width: 0, height: 0, painted: null, fresh: [], shares: new Float64Array(3) });
  }
  resize(width, height, ratio) {
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio, painted: null });
    this.image = new ImageData(Math.max(width, 1), Math.max(height, 1));
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // view: { from, span, top }: the first ns, how many of them, and the first row of pixels of the lanes. Times begin at
  // whole pixels, so a view that only moved in time is shifted, and just its new columns are painted.
  paint(view, palette) {
    const { store, ratio, width } = this, scale = width / view.span, column = Math.round(view.from * scale);
    Object.assign(this, { palette, scale, view: { from: column / scale, span: view.span, top: view.top } });
    this.range = store.range(this.view.from, this.view.from + view.span);
    this.detailed = store.rowsIn(this.range) <= MOST_DRAWN;
    this.pieces = this.piecesBetween(0, width);
    const key = [view.span, view.top, this.detailed, this.layout.changes, palette.back].join(" ");
    const shift = this.painted?.key === key ? column - this.painted.column : width;
    this.painted = { key, column };
    if (Math.abs(shift) >= width) {
      this.fresh = [];
      this.paintColumns(0, width);
    } else if (shift > 0) {
      this.pixels.copyWithin(0, shift);
      this.paintColumns(width - shift, width);
    } else if (shift < 0) {
      this.pixels.copyWithin(-shift, 0);
      this.paintColumns(0, -shift);
    }
    for (const block of this.fresh.splice(0)) this.paintColumns(Math.max(0, Math.floor(this.x(block.first))), Math.min(width, Math.ceil(this.x(block.last)) + 1));
    return this.image;
  }
  // A block was unpacked: its columns show the overview so far.
  renew(block) { this.fresh.push(block); }
  paintColumns(left, right) {
    const { view, ratio, pieces } = this;
    if (left >= right) return;
    if (left === 0 && right === this.width) this.labels.clear();
    Object.assign(this, { clipLeft: left, clipRight: right, pieces: this.piecesBetween(left, right) });
    this.fill(left, right, 0, this.height, this.palette.back);
    for (const lane of this.layout.lanes) {
      const y = Math.round(lane.y * ratio - view.top * ratio), bottom = y + Math.round(lane.height * ratio);
      if (bottom <= 0) continue;
      if (y >= this.height) break;
      this["paint_" + lane.kind](lane, y, bottom);
    }
    this.pieces = pieces;
  }
  // Spans of time with unpacked rows or without: what to paint of a block, and all of it.
  piecesBetween(left, right) {
    const { store, view, scale } = this, pieces = [], from = view.from + left / scale, to = view.from + right / scale;
    if (!this.detailed) return [{ from, to, first: 0, last: Infinity, rows: null }];
    for (let at = this.range[0]; at < this.range[1]; ++at) {
      const block = store.blocks[at], rows = store.want(at);
      if (block.last >= from && block.first <= to) pieces.push({ from: Math.max(block.first, from), to: Math.min(block.last, to), first: block.first, last: block.last, rows });
    }
    return pieces;
  }
  x(time) { return (time - this.view.from) * this.scale; }

  // Fills device pixels; clipped.
  fill(left, right, top, bottom, color) {
    left = Math.max(this.clipLeft, Math.round(left));
    right = Math.min(this.clipRight, Math.round(right));
    top = Math.max(0, top);
    bottom = Math.min(this.height, bottom);
    if (right - left === 1) {
      for (let at = top * this.width + left; top < bottom; ++top, at += this.width) this.pixels[at] = color;
      return;
    }
    for (; top < bottom; ++top) this.pixels.fill(color, top * this.width + left, top * this.width + Math.max(left, right));
  }
  // A bar from the bottom of a band, for a share of it.
  bar(left, right, top, bottom, share, color) {
    this.fill(left, right, bottom - Math.max(1, Math.round(Math.min(1, share) * (bottom - top))), bottom, color);
  }

  paint_head(lane, y, bottom) { this.fill(0, this.width, y, bottom, this.palette.panel); }
  paint_process(lane, y, bottom) {
    this.fill(0, this.width, bottom - 1, bottom, this.palette.grid);
    const top = y + 3 * this.ratio;
    this.overviewSum(lane.threads, "taskRuns", top, bottom - 2, this.palette.run);
  }

  paint_cpu(lane, y, bottom) {
    const { ratio, palette, store } = this, band = Math.round(5 * ratio), top = y + band + 1, base = bottom - band - 1;
    this.fill(0, this.width, bottom - 1, bottom, palette.grid);
    for (const piece of this.pieces) {
      if (!piece.rows) {
        this.overviewBars("runs", lane.owner, piece, top, base, (slot) => palette.tasks[(store.overview.runner[lane.owner]?.sums[slot] || 1) - 1]);
        this.overviewBars("interrupts", lane.owner, piece, y, y + band, () => palette.interrupts[1]);
        continue;
      }
      const index = piece.rows.runsByCpu(), { states } = piece.rows;
      this.slices(index, lane.owner, piece, (left, right, row, shares) => {
        if (!shares) this.box(left, right, top, base, palette.tasks[states.task[row]], states, row, store.head.tasks.comm[states.task[row]]);
        else this.bar(left, right, top, base, shares[0], palette.tasks[states.task[row]]);
      });
      for (let kind = 1; kind < REQUEST; ++kind)
        this.slices(piece.rows.slicesByOwner(kind, store.head.mostCpu + 1), lane.owner, piece, (left, right, row, shares) => this.bar(left, Math.max(right, left + 1), y, y + band, shares ? shares[0] : 1, palette.interrupts[kind]));
      this.ticks(piece.rows.eventsBy("cpu", store.head.mostCpu + 1, this.layout.shown, this.layout.version), lane.owner, piece, base + 1, bottom - 1, palette.dim);
    }
  }

  paint_task(lane, y, bottom) {
    const { ratio, palette, store } = this, band = Math.round(4 * ratio);
    const base = bottom - band - 1, middle = y + Math.round((base - y) * (this.layout.states ? 0.5 : 0.1));
    this.fill(0, this.width, bottom - 1, bottom, palette.grid);
    for (const piece of this.pieces) {
      if (!piece.rows) {
        this.overviewBars("taskWaits", lane.owner, piece, y + 1, middle, () => palette.wait);
        this.overviewBars("taskRuns", lane.owner, piece, y + 1, middle, () => palette.run);
        this.overviewBars("taskBlocks", lane.owner, piece, middle, base, () => palette.blocked);
        continue;
      }
      const { rows } = piece, { states, slices } = rows;
      this.slices(rows.statesByTask(), lane.owner, piece, (left, right, row, shares) => {
        if (shares) {
          const [run, wait, blocked] = shares;
          const color = run > 0 && run >= wait ? palette.run : wait > blocked ? palette.wait : blocked > 0 ? palette.blocked : palette.sleep;
          this.bar(left, right, y + 2, middle, run + wait + blocked, color);
        } else if (palette.state(states.kind[row]) === palette.sleep) {
          this.fill(left, right, middle - 2, middle - 1, palette.dim);
        } else {
          this.box(left, right, y + 2, middle, palette.state(states.kind[row]), states, row, states.kind[row] === RUNS ? `CPU ${states.cpu[row]}` : "");
        }
      });
      this.slices(rows.slicesByOwner(CALL, store.head.taskCount), lane.owner, piece, (left, right, row, shares) => {
        if (shares) this.bar(left, right, middle + 1, base, shares[0], palette.call);
        else this.box(left, right, middle + 1, base, palette.call, slices, row, store.head.words[slices.name[row]]);
      });
      this.ticks(rows.eventsBy("task", store.head.taskCount, this.layout.shown, this.layout.version), lane.owner, piece, base, bottom - 1, palette.dim);
    }
  }

  paint_type(lane, y, bottom) { this.paintEvents("type", lane.owner, this.store.head.types.length, y, bottom); }
  paint_cgroup(lane, y, bottom) { this.paintEvents("cgroup", lane.owner, this.store.head.cgroups.length + 1, y, bottom); }
  // How many events, on a logarithmic scale.
  paintEvents(what, owner, count, y, bottom) {
    const { palette } = this, tall = (events) => Math.min(1, 0.3 + 0.1 * Math.log2(events));
    this.fill(0, this.width, bottom - 1, bottom, palette.grid);
    for (const piece of this.pieces) {
      if (!piece.rows && what === "type") {
        const { sums, first } = this.store.overview.events[owner] || { sums: [], first: 0 };
        this.overviewSlots(first, sums, piece, (left, right, sum) => this.bar(left, right, y + 1, bottom - 1, tall(sum), palette.step));
      } else if (piece.rows) {
        const [shown, version] = what === "type" ? [null, "0all"] : [this.layout.shown, this.layout.version];
        this.events(piece.rows.eventsBy(what, count, shown, version), owner, piece, (x, events) => this.bar(x, x + Math.max(1, this.ratio), y + 1, bottom - 1, tall(events), palette.step));
      }
    }
  }

  paint_device(lane, y, bottom) {
    const { palette, store } = this;
    this.fill(0, this.width, bottom - 1, bottom, palette.grid);
    for (const piece of this.pieces) {
      if (!piece.rows) this.overviewBars("devices", lane.owner, piece, y + 1, bottom - 1, () => palette.step);
      else {
        const { slices } = piece.rows;
        this.slices(piece.rows.slicesByOwner(REQUEST, store.head.devices.length), lane.owner, piece, (left, right, row, shares) => {
          if (shares) this.bar(left, right, y + 1, bottom - 1, shares[0], palette.step);
          else this.box(left, right, y + 1, bottom - 1, palette.step, slices, row, store.head.words[slices.name[row]]);
        });
      }
    }
  }

  // A line of values: frequencies against the highest seen, idle states by depth.
  paint_step(lane, y, bottom) {
    const { palette } = this, most = this.store.head.highest[lane.step] || 1;
    this.fill(0, this.width, bottom - 1, bottom, palette.grid);
    for (const piece of this.pieces) {
      if (!piece.rows) continue;
      const { time, kind, cpu, value } = piece.rows.steps;
      let since = -1, last = 0, busyUntil = -Infinity;
      const draw = (until) => {
        const left = this.x(since), right = this.x(until);
        if (since < 0 || right <= busyUntil) return;
        const deep = lane.step === 1 ? (last === 4294967295 ? 0 : (last + 1) / (most + 1)) : last / most;
        if (deep > 0) this.bar(left, Math.max(right, left + 1), y + 1, bottom - 1, deep, palette.step);
        busyUntil = Math.floor(right);
      };
      for (let at = 0; at < time.length; ++at) {
        if (kind[at] !== lane.step || cpu[at] !== lane.owner) continue;
        draw(time[at]);
        since = time[at];
        last = value[at];
        if (since > piece.to) break;
      }
      if (since <= piece.to) draw(piece.last);
    }
  }

  // Calls draw(left, right, row, shares) for the slices of a lane. Where they are narrower than a pixel, it is called
  // once per pixel with the shares that each class of slices has of it.
  slices(index, lane, piece, draw) {
    const { first, rows, table, sums } = index, { start, end } = table;
    const high = first[lane + 1];
    let at = first[lane];
    if (at >= high) return;
    at = endAfter(end, rows, at, high, piece.from);
    while (at < high) {
      const row = rows[at], begin = Math.max(start[row], piece.first), until = Math.min(end[row], piece.last);
      if (start[row] > piece.to) break;
      const left = this.x(begin), right = this.x(until);
      if (right - left >= 1) {
        draw(left, right, row, null);
        ++at;
        continue;
      }
      const pixel = Math.floor(left), next = Math.max(at + 1, endAfter(end, rows, at + 1, high, this.view.from + (pixel + 1) / this.scale));
      let longest = row;
      for (let i = at + 1; i < Math.min(next, at + 8); ++i) if (end[rows[i]] - start[rows[i]] > end[longest] - start[longest]) longest = rows[i];
      for (let number = 0; number < sums.length; ++number) this.shares[number] = (sums[number][next] - sums[number][at]) * this.scale;
      draw(pixel, pixel + 1, longest, this.shares);
      at = next;
    }
  }
  // Calls draw(pixel, number of events) for each column of pixels with events.
  events(index, lane, piece, draw) {
    const { first, rows } = index, { time } = piece.rows, high = first[lane + 1];
    // From a pixel before: a tick may be wider than one.
    let at = timeAfter(time, rows, first[lane], high, piece.from - Math.ceil(this.ratio) / this.scale);
    while (at < high && time[rows[at]] <= piece.to) {
      const pixel = Math.floor(this.x(time[rows[at]])), next = Math.max(at + 1, timeAfter(time, rows, at + 1, high, this.view.from + (pixel + 1) / this.scale));
      draw(pixel, next - at);
      at = next;
    }
  }
  ticks(index, lane, piece, top, bottom, color) {
    this.events(index, lane, piece, (pixel) => this.fill(pixel, pixel + 1, top, bottom, color));
  }
  // A slice that is at least a pixel wide. `text`: for a label.
  box(left, right, top, bottom, color, table, row, text) {
    this.fill(left, right - (right - left > 4 && !table.open[row] ? 1 : 0), top, bottom, color);
    const start = table.start[row], end = table.end[row];
    if (!text || (end - start) * this.scale < 28 * this.ratio || bottom < 0) return;
    this.labels.set(`${top} ${start}`, { start, end, y: (top + bottom) / 2, text });
  }

  overviewSlots(first, sums, piece, draw) {
    const length = this.store.head.slot_length;
    const from = Math.max(first, Math.floor(piece.from / length)), to = Math.min(first + sums.length, Math.ceil(piece.to / length));
    for (let slot = from; slot < to; ++slot) {
      const sum = sums[slot - first];
      if (sum > 0) draw(Math.max(this.x(slot * length), this.x(piece.first)), Math.min(this.x((slot + 1) * length) + 0.5, this.x(piece.last)), sum, slot - first);
    }
  }
  overviewBars(kind, owner, piece, top, bottom, colorOf) {
    const lane = this.store.overview[kind][owner];
    if (lane) this.overviewSlots(lane.first, lane.sums, piece, (left, right, sum, slot) => this.bar(left, right, top, bottom, sum / 255, colorOf(slot)));
  }
  overviewSum(owners, kind, top, bottom, color) {
    const { view } = this, piece = { from: view.from, to: view.from + view.span, first: 0, last: Infinity }, length = this.store.head.slot_length;
    const from = Math.floor(view.from / length), sums = new Float64Array(Math.min(Math.ceil(view.span / length) + 1, 4096));
    for (const owner of owners) {
      const lane = this.store.overview[kind][owner];
      if (lane) for (let at = 0; at < sums.length; ++at) sums[at] += lane.sums[from + at - lane.first] || 0;
    }
    this.overviewSlots(from, sums, piece, (left, right, sum) => this.bar(left, right, top, bottom, sum / 255 / this.store.head.cpus.length, color));
  }
}

// Galloping, then binary search: the first place from which rows end, or happen, at or after a time.
function endAfter(end, rows, from, to, wanted) {
  let step = 1, low = from;
  while (low + step < to && end[rows[low + step]] < wanted) low += step, step *= 2;
  let high = Math.min(to, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end[rows[middle]] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
const timeAfter = endAfter;
