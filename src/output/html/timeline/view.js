// The page: the view's state, drawing, and the tools above the lanes.

const RULER = 24, SHORTEST = 100;  // pixels; ns in view
const NO_STATES = "No switches between tasks were recorded, so CPU and task lanes have only ticks. Record sched:sched_switch to see what ran.";

class TimelinePage {
  constructor(store) {
    this.store = store;
    this.length = Math.max(store.head.length, 1);
    this.layout = new Layout(store);
    this.painter = new Painter(store, this.layout);
    this.finder = new Finder(store, this.layout);
    this.canvas = byId("lanes");
    this.context = this.canvas.getContext("2d");
    this.view = { from: 0, span: this.length, top: 0 };
    this.markers = { a: null, b: null };
    this.selected = this.pointer = null;
    store.changed = (block) => {
      this.painter.renew(block);
      this.redraw();
    };
    this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
    this.makeTools();
    this.panel = new Panel(this);
    this.input = new Input(this);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    this.readHash();
    this.panel.open(this.panel.tab);
  }

  makeTools() {
    const { head } = this.store;
    document.title = head.title;
    byId("title").textContent = byId("title").title = head.title;
    byId("subtitle").textContent = byId("subtitle").title = head.subtitle;
    byId("notes").hidden = head.notes.length === 0;
    byId("notes").textContent = head.notes.join(" · ");
    byId("next").onclick = () => this.search(1);
    byId("previous").onclick = () => this.search(-1);
    byId("find").oninput = () => { byId("matched").textContent = ""; };
    byId("pick").onclick = () => this.togglePicker();
    byId("closer").onclick = () => this.zoomAt(this.view.from + this.view.span / 2, 0.5);
    byId("farther").onclick = () => this.zoomAt(this.view.from + this.view.span / 2, 2);
    byId("whole").onclick = () => this.look(0, this.length);
    byId("theme").onclick = () => this.turnTheme();
    byId("help").onclick = () => this.help();
    byId("keys").onclick = () => byId("keys").close();
    byId("lane-find").oninput = (event) => {
      this.layout.find = event.target.value;
      this.layout.make();
      this.pan(0, 0);
    };
  }
  setTheme(dark) {
    document.documentElement.classList.toggle("dark", dark);
    this.palette = new Palette(this.store, dark);
    this.colors = { text: cssColor("--text"), dim: cssColor("--dim"), back: cssColor("--back"), panel: cssColor("--panel"), line: cssColor("--line"), accent: cssColor("--accent"), mark: cssColor("--mark"), hot: cssColor("--hot") };
    byId("legend").replaceChildren(...this.legend());
    this.redraw();
  }
  // A row of colors, and why lanes of CPUs and tasks may be empty.
  legend() {
    const { layout } = this, css = (pixel) => `rgb(${pixel & 255}, ${pixel >> 8 & 255}, ${pixel >> 16 & 255})`;
    const parts = legendOf(this.store, layout, this.palette).map(([pixel, words]) => element("span", {}, swatch(css(pixel)), words));
    parts.push(element("span", { textContent: layout.states ? "CPU lanes: a color for each task name" : NO_STATES }));
    return parts;
  }
  turnTheme() { this.setTheme(!document.documentElement.classList.contains("dark")); }
  help() {
    showKeys("Keyboard and pointer", TIMELINE_KEYS);
    byId("keys").append(element("h3", { textContent: "Colors" }), element("div", { className: "legend" }, ...this.legend()));
  }

  // Geometry. Positions are in CSS pixels of the canvas.
  resize() {
    this.ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.names = Math.min(190, Math.max(84, this.width * 0.22));
    this.plot = Math.max(this.width - this.names, 1);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.painter.resize(Math.round(this.plot * this.ratio), Math.round(Math.max(this.height - RULER, 1) * this.ratio), this.ratio);
    this.pan(0, 0);
    this.panel?.refresh();
  }
  lanesHeight() { return this.height - RULER; }
  timeAt(x) { return this.view.from + (x - this.names) / this.plot * this.view.span; }
  xOf(time) { return this.names + (time - this.view.from) / this.view.span * this.plot; }

  look(from, span) {
    span = Math.max(SHORTEST, Math.min(span, this.length));
    this.view.span = span;
    this.view.from = Math.max(0, Math.min(from, this.length - span));
    this.redraw();
    this.settle();
  }
  zoomAt(time, factor) {
    const span = Math.max(SHORTEST, Math.min(this.view.span * factor, this.length));
    this.look(time - (time - this.view.from) * span / this.view.span, span);
  }
  pan(dx, dy) {
    this.view.top = Math.max(0, Math.min(this.view.top + dy, this.layout.height - this.lanesHeight()));
    this.look(this.view.from + dx / this.plot * this.view.span, this.view.span);
  }
  centre(time) { this.look(time - this.view.span / 2, this.view.span); }
  zoomToChosen() {
    const { a, b } = this.markers, { selected } = this;
    if (a !== null && b !== null && a !== b) return this.look(Math.min(a, b) - Math.abs(b - a) * 0.05, Math.abs(b - a) * 1.1);
    if (selected?.end > selected?.start) this.look(selected.start - (selected.end - selected.start) * 0.5, (selected.end - selected.start) * 2);
  }
  markedRange() {
    const { a, b } = this.markers;
    if (a !== null && b !== null) return { from: Math.min(a, b), to: Math.max(a, b), marked: true };
    return { from: this.view.from, to: this.view.from + this.view.span, marked: false };
  }
  setMarkers(markers) {
    Object.assign(this.markers, markers);
    this.redraw();
    this.settle();
  }
  // After the view or the markers have changed for a moment: the panel and the address follow.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => { this.panel?.refresh(); this.writeHash(); }, 150);
  }

  // Selection
  click(x, y) {
    const lane = y < RULER ? null : this.layout.at(y - RULER + this.view.top);
    if (lane && lane.key) {
      if (!this.layout.closed.delete(lane.key)) this.layout.closed.add(lane.key);
      this.layout.make();
      return this.pan(0, 0);
    }
    if (x < this.names) return this.selectLane(lane);
    this.select(this.finder.at(lane, this.timeAt(x), 4 / this.plot * this.view.span));
    if (this.selected && this.panel.tab !== "flame") this.panel.open("selection");
  }
  selectLane(lane) {
    this.select(lane ? { lane, task: lane.kind === "task" ? lane.owner : undefined, lines: this.finder.laneLines(lane) } : null);
    if (lane && this.panel.tab !== "flame") this.panel.open("selection");
  }
  select(found) {
    this.selected = found;
    this.redraw();
    this.panel.refresh();
  }
  async selectEvent(event, opens) {
    const rows = await this.store.load(event.block), time = rows.time[event.row], task = rows.task[event.row];
    const lane = this.layout.laneOfTask.get(task) || this.layout.laneOfCpu.get(rows.cpu[event.row]) || null;
    this.selected = { lane, task, time, lines: [], event: { block: event.block, row: event.row } };
    if (time < this.view.from || time > this.view.from + this.view.span) this.centre(time);
    if (lane && opens && (lane.y < this.view.top || lane.y + lane.height > this.view.top + this.lanesHeight())) this.pan(0, lane.y - this.view.top - this.lanesHeight() / 3);
    this.redraw();
    this.panel.refresh();
  }
  async search(step) {
    const text = byId("find").value.trim(), matched = byId("matched");
    if (text === "") return byId("find").focus();
    const turn = this.searching = (this.searching || 0) + 1;
    const query = new Query(this.store, text), { selected } = this;
    const from = selected?.event ? { block: selected.event.block, row: selected.event.row + step } : this.firstShown(step);
    const found = await query.next(from, step, this.layout.shown, (share) => {
      matched.textContent = `${Math.round(share * 100)} %`;
      return turn === this.searching;
    });
    if (turn !== this.searching) return;
    matched.textContent = found ? "found" : step > 0 ? "no later match" : "no earlier match";
    if (found) await this.selectEvent(found, true);
  }
  firstShown(step) {
    const time = step > 0 ? this.view.from : this.view.from + this.view.span, at = Math.min(this.store.range(time, time)[0], this.store.blocks.length - 1);
    const rows = this.store.blocks[at]?.rows;
    return { block: at, row: rows ? rows.eventAt(time) : step > 0 ? 0 : Infinity };
  }
  // The next event of the selected lane.
  async stepEvent(step) {
    const { selected, store, layout } = this;
    if (!selected?.lane || !["task", "cpu", "type"].includes(selected.lane.kind)) return;
    const { kind, owner } = selected.lane;
    let block = selected.event?.block ?? store.range(this.view.from, this.view.from)[0], row = selected.event ? selected.event.row + step : 0;
    for (; block >= 0 && block < store.blocks.length; block += step, row = step > 0 ? 0 : Infinity) {
      const rows = await store.load(block);
      if (!rows) continue;
      for (let at = Math.min(row, rows.time.length - 1); at >= 0 && at < rows.time.length && row < (step > 0 ? rows.time.length : Infinity) + 1; at += step)
        if (rows[kind][at] === owner && layout.visible(rows.type[at])) return this.selectEvent({ block, row: at }, false).then(() => { this.selected.lane = selected.lane; this.redraw(); });
    }
  }

  hover(pointer) {
    this.pointer = pointer;
    const tip = byId("tip");
    this.redraw();
    if (!pointer || pointer.y < RULER || pointer.x < this.names) return void (tip.hidden = true);
    const lane = this.layout.at(pointer.y - RULER + this.view.top);
    const found = lane && lane.kind !== "head" ? this.finder.at(lane, this.timeAt(pointer.x), 3 / this.plot * this.view.span) : null;
    if (!found || (found.lines.length === 0 && !found.event)) return void (tip.hidden = true);
    tip.replaceChildren(element("b", { textContent: lane.name.trim() }), ...found.lines.map((textContent) => element("div", { textContent })));
    placeTip(pointer);
    if (!found.event) return;
    const turn = this.hovering = (this.hovering || 0) + 1;
    this.finder.eventText(found.event).then(({ title, lines, stack }) => {
      if (turn !== this.hovering || tip.hidden) return;
      tip.append(element("b", { textContent: title }), ...lines.map(([name, value]) => element("div", {}, element("span", { className: "dim", textContent: name + " " }), value)),
        ...stack.slice(0, 12).map((textContent) => element("div", { className: "frame", textContent })));
      placeTip(pointer);
    });
  }

  togglePicker() {
    const host = byId("picker");
    host.hidden = !host.hidden;
    if (!host.hidden) this.makePicker();
  }
  makePicker() {
    const { layout, store } = this, { types } = store.head, shown = layout.shown ? layout.shown.slice() : new Uint8Array(types.length).fill(1);
    const list = element("div", { id: "picker-list" }), find = element("input", { type: "search", placeholder: "Filter events" });
    const apply = () => { layout.show(shown); this.pan(0, 0); };
    const matching = () => types.map((type, at) => at).filter((at) => types[at].count > 0 && types[at].name.toLowerCase().includes(find.value.toLowerCase()));
    const fill = () => list.replaceChildren(...matching().map((at) => {
      const box = element("input", { type: "checkbox", checked: shown[at] === 1 });
      box.onchange = () => { shown[at] = box.checked ? 1 : 0; apply(); };
      return element("label", {}, box, element("span", { textContent: types[at].name }), element("span", { className: "dim", textContent: grouped(types[at].count) }));
    }));
    const all = (value) => () => { for (const at of matching()) shown[at] = value; fill(); apply(); };
    const buttons = [["All", 1], ["None", 0]].map(([textContent, value]) => { const button = element("button", { textContent }); button.onclick = all(value); return button; });
    find.oninput = fill;
    byId("picker").replaceChildren(element("div", { className: "toolbar" }, find, ...buttons), list);
    fill();
    find.focus();
  }

  // Drawing, at most once per frame.
  redraw() {
    if (this.drawing || !this.painter.image) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = 0; this.draw(); });
  }
  draw() {
    const { context, ratio, view } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(this.painter.paint(view, this.palette), Math.round(this.names * ratio), Math.round(RULER * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.textBaseline = "middle";
    this.drawLabels();
    this.drawWakes();
    this.drawNames();
    this.drawRuler();
    this.drawMarks();
    this.drawMap();
    byId("where").textContent = `${duration(view.span)} in view` + this.markerText();
  }
  markerText() {
    const { a, b } = this.markers;
    return [a === null ? "" : ` · A ${seconds(a)}`, b === null ? "" : ` · B ${seconds(b)}`, a === null || b === null ? "" : ` · B − A = ${duration(b - a)}`].join("");
  }
  drawLabels() {
    const { context, ratio, names } = this;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = document.documentElement.classList.contains("dark") ? "#fff" : "#111";
    this.letter ||= context.measureText("n").width;
    const { painter } = this;
    for (const [key, { start, end, y, text }] of painter.labels) {
      const left = Math.max(0, painter.x(start)), right = Math.min(painter.width, painter.x(end));
      if (right < 0 || left > painter.width) painter.labels.delete(key);
      const room = Math.floor(((right - left) / ratio - 6) / this.letter);
      if (room >= 3) context.fillText(text.length <= room ? text : text.slice(0, room - 1) + "…", names + left / ratio + 3, RULER + y / ratio + 0.5);
    }
  }
  // Arrows from the waker to the task, for the selected task or while there are few.
  drawWakes() {
    const { painter, layout, view, context, selected } = this, arrows = [], most = 150, last = view.from + view.span;
    if (!painter.detailed) return;
    for (const { rows } of painter.pieces) {
      if (!rows) continue;
      const { states } = rows, index = selected?.task ? rows.statesByTask() : null;
      if (!index && states.kind.length * painter.pieces.length > 20000) return;
      const list = index?.rows, end = index ? index.first[selected.task + 1] : states.kind.length;
      for (let i = index ? endAfter(states.end, list, index.first[selected.task], end, view.from) : 0; i < end && arrows.length <= most; ++i) {
        const row = list ? list[i] : i;
        if (list && states.start[row] > last) break;
        if (states.kind[row] !== WAITS || states.cause[row] < 2 || states.start[row] < view.from || states.start[row] > last) continue;
        const to = layout.laneOfTask.get(states.task[row]), from = layout.laneOfTask.get(states.cause[row] - 2);
        if (to && from) arrows.push([this.xOf(states.start[row]), from, to]);
      }
    }
    if (arrows.length > most) return;
    context.save();
    context.beginPath();
    context.rect(this.names, RULER, this.plot, this.lanesHeight());
    context.clip();
    context.strokeStyle = context.fillStyle = this.colors.hot;
    for (const [x, from, to] of arrows) {
      const y0 = RULER + from.y - view.top + from.height / 2, y1 = RULER + to.y - view.top + (to.y > from.y ? 2 : to.height - 4), way = Math.sign(y1 - y0);
      context.beginPath();
      context.moveTo(x, y0);
      context.lineTo(x, y1);
      context.moveTo(x - 3, y1 - 5 * way);
      context.lineTo(x, y1);
      context.lineTo(x + 3, y1 - 5 * way);
      context.stroke();
    }
    context.restore();
  }
  drawNames() {
    const { context, colors, view, layout, names } = this;
    context.fillStyle = colors.back;
    context.fillRect(0, RULER, names, this.lanesHeight());
    context.font = "11.5px system-ui, sans-serif";
    for (const lane of layout.lanes) {
      const y = RULER + lane.y - view.top;
      if (y + lane.height <= RULER) continue;
      if (y >= this.height) break;
      if (lane.kind === "head") {
        context.fillStyle = colors.panel;
        context.fillRect(0, y, names, lane.height);
      }
      if (this.selected?.lane === lane) {
        context.fillStyle = colors.accent;
        context.fillRect(0, y, 3, lane.height);
      }
      const folded = lane.key ? (layout.closed.has(lane.key) ? "▸ " : "▾ ") : "", dim = lane.kind === "step" || lane.kind === "process";
      context.fillStyle = dim ? colors.dim : colors.text;
      context.font = (lane.kind === "head" ? "600 " : "") + "11.5px system-ui, sans-serif";
      context.fillText(this.fitted(folded + lane.name, names - 12, lane.kind === "process"), 6, y + lane.height / 2);
    }
    context.fillStyle = colors.line;
    context.fillRect(names - 1, 0, 1, this.height);
    this.drawScrollBar();
  }
  // Long names lose their middle, since numbers at the end tell tasks apart, or their end.
  fitted(text, width, noEnd) {
    const { context } = this;
    if (context.measureText(text).width <= width) return text;
    const room = Math.max(4, Math.floor(text.length * width / context.measureText(text).width) - 1), tail = noEnd ? 0 : Math.floor(room / 2);
    return text.slice(0, room - tail) + "…" + text.slice(text.length - tail);
  }
  drawScrollBar() {
    const { context, layout, view } = this, shown = this.lanesHeight();
    if (layout.height <= shown) return;
    context.fillStyle = this.colors.dim;
    context.globalAlpha = 0.5;
    context.fillRect(this.width - 5, RULER + view.top / layout.height * shown, 4, Math.max(20, shown / layout.height * shown));
    context.globalAlpha = 1;
  }
  drawRuler() {
    const { context, colors, view, plot } = this;
    context.fillStyle = colors.back;
    context.fillRect(0, 0, this.width, RULER);
    let step = 1;
    for (let at = 0; step * plot / view.span < 90; ++at) step = [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3);
    context.font = "11px system-ui, sans-serif";
    const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))));
    for (let time = Math.ceil(view.from / step) * step; time <= view.from + view.span; time += step) {
      const x = this.xOf(time);
      context.fillStyle = colors.line;
      context.fillRect(x, RULER - 7, 1, 7);
      context.fillStyle = colors.dim;
      if (x + 40 < this.width) context.fillText((time / 1e9).toFixed(digits) + " s", x + 3, 10);
    }
    context.fillStyle = colors.line;
    context.fillRect(0, RULER - 1, this.width, 1);
  }
  drawMarks() {
    const { context, colors, markers, pointer, selected } = this;
    const line = (time, color, name) => {
      const x = this.xOf(time);
      if (x < this.names || x > this.width) return;
      context.fillStyle = color;
      context.fillRect(x, 0, 1, this.height);
      if (!name) return;
      context.fillRect(x - 7, 0, 15, 14);
      context.fillStyle = colors.back;
      context.font = "600 11px system-ui, sans-serif";
      context.fillText(name, x - 3, 7);
    };
    const { a, b } = markers;
    if (a !== null && b !== null) {
      const left = Math.max(this.names, this.xOf(Math.min(a, b))), right = Math.min(this.width, this.xOf(Math.max(a, b)));
      context.fillStyle = colors.accent;
      context.globalAlpha = 0.12;
      if (right > left) context.fillRect(left, 0, right - left, this.height);
      context.globalAlpha = 1;
    }
    if (a !== null) line(a, colors.accent, "A");
    if (b !== null) line(b, colors.accent, "B");
    if (selected?.lane && selected.time !== undefined) {
      line(selected.time, colors.mark);
      const y = RULER + selected.lane.y - this.view.top, left = Math.max(this.names, this.xOf(selected.start ?? selected.time)), right = Math.min(this.width, this.xOf(selected.end ?? selected.time));
      context.strokeStyle = colors.mark;
      if (y + selected.lane.height > RULER && right >= left) context.strokeRect(left - 0.5, Math.max(RULER, y) + 0.5, Math.max(right - left, 3), selected.lane.height - 1);
    }
    if (pointer && pointer.x >= this.names) {
      context.fillStyle = colors.dim;
      context.fillRect(pointer.x, 0, 1, this.height);
    }
  }
  // The whole recording: how busy its CPUs were, and the part in view.
  drawMap() {
    const canvas = byId("map"), width = canvas.clientWidth, height = canvas.clientHeight, { ratio, colors, store } = this;
    if (width === 0) return;
    const context = canvas.getContext("2d");
    if (!this.mapPicture || this.mapPicture.key !== `${width} ${height} ${ratio} ${colors.back}`) this.paintMap(width, height);
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.drawImage(this.mapPicture, 0, 0);
    context.scale(ratio, ratio);
    const left = this.view.from / this.length * width, right = (this.view.from + this.view.span) / this.length * width;
    context.fillStyle = colors.back;
    context.globalAlpha = 0.65;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 2), height - 1);
  }
  paintMap(width, height) {
    const { store, ratio, colors } = this, { overview, head } = store, columns = new Float64Array(Math.ceil(width));
    const lanes = overview.runs.length > 0 ? overview.runs : overview.events;
    for (const { first, sums } of lanes) for (let at = 0; at < sums.length; ++at) columns[Math.min(columns.length - 1, Math.floor((first + at + 0.5) * head.slot_length / this.length * width))] += sums[at];
    const most = columns.reduce((max, sum) => Math.max(max, sum), 1e-9);
    this.mapPicture = Object.assign(document.createElement("canvas"), { width: width * ratio, height: height * ratio });
    this.mapPicture.key = `${width} ${height} ${ratio} ${colors.back}`;
    const context = this.mapPicture.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, width, height);
    context.fillStyle = cssColor("--bar");
    columns.forEach((sum, x) => context.fillRect(x, height - sum / most * (height - 2), 1, sum / most * (height - 2)));
  }

  // The address after # has the view and the markers, so that a link shows the same.
  writeHash() {
    const { view, markers } = this, parts = [`view=${Math.round(view.from)}.${Math.round(view.span)}`];
    for (const name of ["a", "b"]) if (markers[name] !== null) parts.push(`${name}=${Math.round(markers[name])}`);
    try {
      window.history.replaceState(null, "", "#" + parts.join("&"));
    } catch (error) { /* not permitted in frames */ }
  }
  readHash() {
    for (const part of window.location.hash.slice(1).split("&")) {
      const [key, raw = ""] = part.split("="), numbers = raw.split(".").map(Number);
      if (numbers.some((value) => !(value >= 0)) || raw === "") continue;
      if (key === "view" && numbers.length === 2) this.look(numbers[0], numbers[1]);
      if (key === "a" || key === "b") this.markers[key] = Math.min(numbers[0], this.length);
    }
  }
}

Store.open().then((store) => {
  window.page = new TimelinePage(store);
  document.body.dataset.ready = "yes";
}).catch((error) => {
  document.body.prepend(element("p", { className: "warn", textContent: "Cannot show this page: " + error.message }));
});
