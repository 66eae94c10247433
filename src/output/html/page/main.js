// Wires the views together: one state, one render() that shows it.

const TABS = [
  ["flame", "Flame graph"], ["table", "Functions"], ["sandwich", "Callers and callees"], ["code", "Code"], ["source", "Source"], ["heat", "Heat map"], ["about", "Recording"],
];
const KEYS = [
  ["1 … 7", "views"], ["/", "search"], ["Esc", "clear the search, then the zoom, the time range, the threads"], ["i", "icicle or flame graph"],
  ["r", "reverse: from the sampled function to its callers"], ["o", "order by time: one column per time step"], ["e", "next event"], ["m", "time or samples"], ["l", "threads or CPUs below the timeline"], ["t", "dark or light"],
  ["← ↑ ↓ →", "move between boxes; on the timeline, move the range (with Shift, widen it)"], ["Enter", "zoom in to the selected box"],
  ["Backspace", "zoom out by one box"], ["s", "callers and callees of the selected box (or right-click it)"],
  ["a", "code of the selected function"], ["h", "hottest line of code"], ["?", "this list"],
];

class Page {
  constructor(profile) {
    this.profile = profile;
    this.tabs = TABS.filter(([view]) => (view !== "heat" || HeatMap.fits(profile)) && (view !== "code" || profile.code.length > 0) && (view !== "source" || SourceView.fits(profile)));
    this.state = new State({ view: profile.first_view });
    this.readState();
    this.makeViews();
    this.makeTools();
    window.addEventListener("resize", () => this.render());
    window.addEventListener("popstate", () => { this.readState(); this.refresh(); });
    document.addEventListener("keydown", (event) => this.key(event));
    this.refresh();
  }

  // An address with a view that this page lacks shows the first one.
  readState() {
    const { profile, state } = this, has = (name) => this.tabs.some(([view]) => view === name);
    state.read(profile);
    if (!has(state.view)) state.view = has(profile.first_view) ? profile.first_view : "flame";
    if (profile.series[state.series].summed) state.range = null;
  }

  makeViews() {
    const { profile } = this, hover = (box, event) => this.hoverBox(box, event), pick = (frame) => this.pick(frame);
    const zoom = (node) => this.zoomTo(node);
    this.flame = new FlameView(profile, byId("flame"), { hover, pick, zoom });
    this.callers = new FlameView(profile, byId("callers"), { hover, pick, zoom: () => {} }, 1);
    this.callees = new FlameView(profile, byId("callees"), { hover, pick, zoom: () => {} }, 1);
    this.table = new FunctionTable(profile, byId("table-scroll"), { sort: (key) => this.set({ sort: key }), pick });
    this.code = new CodeView(profile, byId("code-list"), byId("code-head"), byId("code"));
    this.source = new SourceView(profile, byId("source-list"), byId("source-head"), byId("source"), this.code.times);
    this.timeline = new Timeline(profile, byId("timeline"), (range) => this.set({ range }));
    byId("named").value = this.state.named;
    this.listenNamed(byId("named"));
    this.heat = new HeatMap(profile, byId("heat"), {
      choose: (range) => this.set({ range }), hover: (cell, event) => this.hoverCell(cell, event),
    });
    if (profile.lanes) this.lanes = new Lanes(profile, byId("lanes"), byId("lane-names"), this.timeline, {
      hover: (row, event) => this.hoverLane(row, event), pick: (row, add) => this.pickThreads(row, add),
    });
    byId("strip").hidden = !profile.timed;
    showAbout(profile, byId("about"));
  }

  makeTools() {
    const { profile, state } = this;
    document.title = profile.title;
    byId("title").textContent = byId("title").title = profile.title;
    byId("subtitle").textContent = byId("subtitle").title = profile.subtitle;
    byId("tabs").replaceChildren(...this.tabs.map(([view, words]) => {
      const tab = element("button", { textContent: words, id: "tab-" + view });
      tab.setAttribute("role", "tab");
      tab.onclick = () => this.set({ view });
      return tab;
    }));
    byId("series").replaceChildren(...profile.series.map((series, at) => element("option", { value: at, textContent: series.name })));
    byId("series").hidden = profile.series.length < 2 || profile.compared;
    byId("series").onchange = (event) => this.set({ series: Number(event.target.value) });
    byId("measure").onchange = (event) => this.set({ measure: event.target.value });
    byId("find").oninput = (event) => this.set({ find: event.target.value }, false, true);
    byId("save").replaceChildren(element("option", { value: "", textContent: "Save…" }), ...SAVED.map(([value, textContent]) => element("option", { value, textContent })));
    byId("save").onchange = (event) => {
      const kind = event.target.value;
      event.target.value = "";
      this.save(kind);
    };
    byId("theme").onclick = () => this.turnTheme();
    byId("help").onclick = () => this.help();
    byId("keys").onclick = () => byId("keys").close();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    document.documentElement.classList.toggle("dark", dark.matches);
    dark.addEventListener("change", () => { document.documentElement.classList.toggle("dark", dark.matches); this.render(); });
    byId("find").value = state.find;
  }

  // Changes the state. `light`: the sums do not change.
  set(changes, light, typing) {
    Object.assign(this.state, changes);
    if (this.profile.series[this.state.series].summed) this.state.range = null;
    this.state.write(typing);
    if (light) this.render();
    else this.refresh();
  }
  pick(frame) {
    if (frame > 0) this.set({ frame, view: "sandwich" });
  }
  // In time order, a box selects its time.
  zoomTo(node) {
    if (!this.tree.ordered) return this.set({ zoom: this.tree.path(node) }, true);
    this.flame.chosen = -1;
    if (node !== 0) this.set({ range: slotsOfBox(this.profile, this.tree, node, this.state.range) });
  }
  turnTheme() {
    document.documentElement.classList.toggle("dark");
    this.refresh();
  }

  search() {
    const { profile, state } = this, field = byId("find");
    if (field.value !== state.find) field.value = state.find;
    this.marked = null;
    field.classList.remove("wrong");
    if (state.find === "") return;
    const pattern = searchPattern(state.find, field);
    this.marked = profile.frameNames.map((name) => pattern.test(name));
    this.marked[0] = false;
  }

  // Recomputes the sums, then renders.
  refresh() {
    const { profile, state } = this;
    this.search();
    this.chosen = profile.laneSet(state.threads);
    this.self = profile.selfOf(state.series, state.measure, state.range, this.chosen);
    this.before = profile.compared ? profile.selfOf(1, state.measure, null) : new Float64Array(this.self.length);
    this.whole = this.self.reduce((sum, own) => sum + own, 0);
    this.all = this.chosen ? profile.selfOf(state.series, state.measure, state.range, null).reduce((sum, own) => sum + own, 0) : this.whole;
    this.tree = null;
    this.functions = null;
    this.render();
  }

  render() {
    const { profile, state } = this;
    for (const [view] of TABS) byId("view-" + view).classList.toggle("shown", view === state.view);
    for (const [view] of this.tabs) byId("tab-" + view).setAttribute("aria-selected", String(view === state.view));
    byId("series").value = String(state.series);
    const unit = profile.series[state.series].unit;
    byId("measure").replaceChildren(element("option", { value: "period", textContent: unit === "ns" ? "time" : unit }), element("option", { value: "samples", textContent: "samples" }));
    byId("measure").value = state.measure;
    this.showStrip();
    this.showMatched();
    this.showLegend();
    byId("details").textContent = this.summary();
    this["show_" + state.view]();
  }
  rows() { return (this.functions ||= functionRows(this.profile, this.self, this.before)); }
  unit() { return this.profile.unitOf(this.state.series, this.state.measure); }

  show_flame() {
    const { profile, state } = this;
    const ordered = state.ordered && this.canOrder(), kind = ordered ? "time" : state.reversed ? "reversed" : "stacks";
    if (!this.tree || this.tree.kind !== kind) {
      this.tree = ordered ? timeTree(profile, state, this.chosen, byId("flame-scroll").clientWidth) : (state.reversed ? reversedTree : stackTree)(profile, this.self, this.before);
      this.tree.kind = kind;
    }
    const node = ordered ? 0 : this.tree.find(state.zoom);
    showFlameTools(this, byId("flame-tools"), node);
    this.flame.marked = this.marked;
    this.flame.show(this.tree, node, state.down);
    if (!state.down && this.shownFor !== this.tree) byId("flame-scroll").scrollTop = 1e6;
    this.shownFor = this.tree;
  }
  canOrder() { return this.profile.timed && !this.profile.series[this.state.series].summed; }
  show_table() { this.table.show(this.rows(), this.state, this.marked, this.unit()); }
  show_sandwich() {
    const { profile, state } = this;
    const rows = sortRows(this.rows().rows.slice(), "inclusive");
    if (state.frame <= 0 && rows.length > 0) state.frame = sortRows(rows.slice(), "own")[0].frame;
    const shown = (this.marked ? rows.filter((row) => this.marked[row.frame] || row.frame === state.frame) : rows).slice(0, 300);
    showList(byId("sandwich-list"), shown.map((row) => ({
      label: row.name, value: percent(row.inclusive, this.whole), color: profile.colors[row.frame], chosen: row.frame === state.frame, match: this.marked && this.marked[row.frame],
    })), (at) => this.set({ frame: shown[at].frame }, true));
    showSandwichHead(this, byId("sandwich-head"), rows.find((row) => row.frame === state.frame));
    const around = aroundFunction(profile, state.frame, this.self, this.before);
    this.callers.marked = this.callees.marked = this.marked;
    this.callers.show(around.callers, around.callers.find([state.frame]), false);
    byId("callers-scroll").scrollTop = 1e6;
    this.callees.show(around.callees, around.callees.find([state.frame]), true);
    byId("callees-scroll").scrollTop = 0;
  }
  show_code() { this.code.show(this.state, this.marked, this.self, this.whole, (at) => this.set({ code: at }, true)); }
  show_source() { this.source.show(this.state, this.all, (file) => this.set({ file }, true)); }
  show_heat() {
    const { profile, state } = this;
    const wanted = this.marked ? profile.stacksWith(this.marked) : null;
    const slots = profile.slotsOf(state.series, state.measure, wanted, this.chosen);
    showHeatTools(this, byId("heat-tools"));  // before the map, which fills the rest of the window
    this.heat.show(slots, state.range);
    byId("heat-tools").append(heatScale(this, this.heat.most, this.heat.joined));
  }
  show_about() {}

  showStrip() {
    const { profile, state } = this, words = byId("range-words");
    if (!profile.timed) return;
    if (!Lanes.kinds(profile).includes(state.lanes)) state.lanes = "";
    const { summed } = profile.series[state.series];
    byId("strip").classList.toggle("laned", state.lanes !== "" && !summed);
    byId("strip").classList.toggle("summed", summed);
    if (this.lanes) this.showChips();
    if (summed) {
      words.textContent = "Off-CPU time was summed by call stack while recording, so it has no position in time. record --off-cpu-thresh MS keeps single waits.";
      byId("lanes-scroll").hidden = byId("thread-tools").hidden = true;
      byId("lane-tools").replaceChildren();
      return;
    }
    const marked = this.marked ? profile.slotsOf(state.series, state.measure, profile.stacksWith(this.marked), this.chosen) : null;
    this.timeline.show(profile.slotsOf(state.series, state.measure, null, this.chosen), marked, state.range);
    const { length } = profile.time;
    words.replaceChildren(`${duration(profile.span)} from first to last sample, ${duration(length)} per step` + (state.range ? "" : " · drag to select a time range"));
    if (state.range) {
      const button = element("button", { textContent: "Show all", id: "whole" });
      button.onclick = () => this.set({ range: null });
      words.append(` · selected: ${duration(state.range[0] * length)} to ${duration(state.range[1] * length)} `, button);
    }
    if (this.lanes) this.showLanes();
  }
  showMatched() {
    const matched = byId("matched");
    matched.textContent = "";
    if (!this.marked) return;
    const found = this.profile.stacksWith(this.marked);
    let sum = 0;
    for (let at = 0; at < found.length; ++at) if (found[at]) sum += this.self[at];
    matched.textContent = percent(sum, this.whole);
    matched.title = "share of stacks with a matching function";
  }
  showLegend() {
    if (["heat", "source", "about"].includes(this.state.view)) return byId("legend").replaceChildren();
    const used = new Set(this.profile.frameKinds), items = [];
    const add = (color, words) => items.push(element("span", {}, swatch(color), words));
    if (this.profile.compared) [[0, 0.1, "less than before"], [0, 0, "unchanged"], [0.1, 0, "more than before"]].forEach(([now, then, words]) => add(changeColor(now, then), words));
    else KINDS.forEach((look, kind) => { if (kind > 0 && used.has(kind)) add(`hsl(${look.hue},${look.saturation}%,${look.lightness}%)`, look.word); });
    byId("legend").replaceChildren(...items);
  }
  summary() {
    const { profile, state } = this;
    if (this.whole === 0 && (state.range || this.chosen)) return `No samples of ${profile.series[state.series].name} in this selection`;
    return `${state.range || this.chosen ? "Selection" : "Total"}: ${amount(this.whole, this.unit())} (${profile.series[state.series].name})`;
  }
}
