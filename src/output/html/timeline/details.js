// What a place on the timeline means, as text, and the panel below the lanes: events, selection, flame graph, recording.

const STATE_WORDS = { ">": "running", R: "waiting for a CPU", S: "asleep", D: "blocked (uninterruptible sleep)", T: "stopped", t: "traced", I: "idle", P: "parked" };
const MOST_LISTED = 300;

const seconds = (ns) => (ns / 1e9).toFixed(9).replace(/(\d{3})(?=\d)/g, (part, _, at, all) => (at > all.indexOf(".") ? part + " " : part)) + " s";

// Finds what is drawn at a place: [{ title, lines, event: { block, row }, task }] by lane kind.
class Finder {
  constructor(store, layout) { Object.assign(this, { store, layout }); }

  // `slack`: ns of three pixels. At most one slice of each sort, and the nearest event.
  at(lane, time, slack) {
    const { store } = this, [low, end] = store.range(time, time);
    if (low >= end || !lane) return null;
    const rows = store.blocks[low].rows;
    if (!rows) return { lane, time, lines: [store.blocks[low].kept ? "zoom in for details" : "details were left out of this page"] };
    const found = { lane, time, lines: [], block: low };
    this["find_" + lane.kind]?.(lane, time, rows, found);
    const nearest = this.nearestEvent(lane, time, slack, low, rows);
    if (nearest >= 0) Object.assign(found, { event: { block: low, row: nearest } });
    return found;
  }
  slice(index, owner, time) {
    const { first, rows, table } = index, { start, end } = table;
    for (let at = endAfter(end, rows, first[owner], first[owner + 1], time), tries = 0; at < first[owner + 1] && tries < 64; ++at, ++tries)
      if (start[rows[at]] <= time && end[rows[at]] >= time) return rows[at];
    return -1;
  }
  spanText(table, row) {
    return `${seconds(table.start[row])}, ${table.open[row] ? "more than " : ""}${duration(table.end[row] - table.start[row])}`;
  }
  find_cpu(lane, time, rows, found) {
    const { store } = this, { states, slices } = rows;
    const run = this.slice(rows.runsByCpu(), lane.owner, time);
    if (run >= 0) found.lines.push(`${store.taskName(states.task[run])} runs: ${this.spanText(states, run)}`);
    else if (this.layout.states) found.lines.push("no task runs");
    if (run >= 0) Object.assign(found, { task: states.task[run], start: states.start[run], end: states.end[run] });
    for (let kind = 1; kind < REQUEST; ++kind) {
      const row = this.slice(rows.slicesByOwner(kind, store.head.mostCpu + 1), lane.owner, time);
      if (row >= 0) found.lines.push(`${SLICE_KINDS[kind]} ${store.head.words[slices.name[row]]}: ${this.spanText(slices, row)}`);
    }
  }
  find_task(lane, time, rows, found) {
    const { store } = this, { states, slices } = rows;
    found.task = lane.owner;
    const state = this.slice(rows.statesByTask(), lane.owner, time);
    if (state >= 0) {
      const letter = String.fromCharCode(states.kind[state]), cause = states.cause[state];
      let words = STATE_WORDS[letter] || "state " + letter;
      if (letter === ">") words += ` on CPU ${states.cpu[state]}`;
      else if (letter === "R" && cause === 1) words += ", woken by an interrupt";
      else if (letter === "R" && cause > 1) words += `, woken by ${store.taskName(cause - 2)}`;
      else if (letter !== "R" && cause > 0) words += ` in ${store.head.words[cause - 1]}()`;
      found.lines.push(`${words}: ${this.spanText(states, state)}`);
      Object.assign(found, { start: states.start[state], end: states.end[state] });
    }
    const call = this.slice(rows.slicesByOwner(CALL, store.head.taskCount), lane.owner, time);
    if (call >= 0) found.lines.push(`${store.head.words[slices.name[call]]}(): ${this.spanText(slices, call)}`);
  }
  find_device(lane, time, rows, found) {
    const row = this.slice(rows.slicesByOwner(REQUEST, this.store.head.devices.length), lane.owner, time);
    if (row >= 0) found.lines.push(`${this.store.head.words[rows.slices.name[row]]}: ${this.spanText(rows.slices, row)}`);
  }
  find_step(lane, time, rows, found) {
    const { time: times, kind, cpu, value } = rows.steps;
    let known = -1;
    for (let at = 0; at < times.length && times[at] <= time; ++at) if (kind[at] === lane.step && cpu[at] === lane.owner) known = at;
    if (known < 0) return;
    found.lines.push(lane.step === 0 ? `${grouped(value[known] / 1000)} MHz` : value[known] === 4294967295 ? "not idle" : `idle state ${value[known]}`);
  }
  // About a whole lane.
  laneLines({ kind, owner, name }) {
    const { head } = this.store, lines = [name.trim()];
    if (kind === "task") {
      if (this.layout.states) lines.push(`ran ${duration(head.tasks.run[owner])}, ${percent(head.tasks.run[owner], head.length)} of the time`);
      lines.push(counted(head.tasks.events[owner], "event"));
    }
    if (kind === "type") lines.push(counted(head.types[owner].count, "event"));
    if (["task", "cpu", "type"].includes(kind)) lines.push("Press , and . to step through its events.");
    return lines;
  }
  find_process(lane, time, rows, found) { found.lines.push("Share of all CPUs. Click to fold or unfold."); }
  nearestEvent(lane, time, slack, block, rows) {
    const { store, layout } = this, what = { cpu: "cpu", task: "task", type: "type", cgroup: "cgroup" }[lane.kind];
    if (!what) return -1;
    const count = { cpu: store.head.mostCpu + 1, task: store.head.taskCount, type: store.head.types.length, cgroup: store.head.cgroups.length + 1 }[what];
    const index = what === "type" ? rows.eventsBy(what, count, null, "0all") : rows.eventsBy(what, count, layout.shown, layout.version);
    const { first, rows: list } = index, at = timeAfter(rows.time, list, first[lane.owner], first[lane.owner + 1], time);
    let best = -1;
    for (const place of [at - 1, at]) {
      if (place < first[lane.owner] || place >= first[lane.owner + 1]) continue;
      const row = list[place];
      if (Math.abs(rows.time[row] - time) <= slack && (best < 0 || Math.abs(rows.time[row] - time) < Math.abs(rows.time[best] - time))) best = row;
    }
    return best;
  }

  // Of one event: a title and lines.
  async eventText({ block, row }) {
    const { store } = this, rows = await store.load(block), { head } = store;
    if (rows.stack[row]) await store.loadStacks();
    const title = head.types[rows.type[row]].name, fields = await store.fieldTexts(block, row);
    const lines = [[`time`, seconds(rows.time[row])], ["task", store.taskName(rows.task[row])], ["CPU", String(rows.cpu[row])]];
    if (rows.cgroup[row]) lines.push(["cgroup", head.cgroups[rows.cgroup[row] - 1]]);
    lines.push(...(fields || [["fields", "left out: the page would exceed its size limit"]]));
    return { title, lines, stack: this.stackLines(rows.stack[row]) };
  }
  stackLines(stack) {
    const { profile } = this.store, lines = [];
    if (stack >= profile.parents.length) return lines;
    for (let at = stack; at !== 0 && profile.parents[at] !== 0; at = profile.parents[at]) lines.push(profile.frameNames[profile.stackFrames[at]]);
    return lines;
  }
}

function listOf(pairs) {
  return element("table", {}, element("tbody", {}, ...pairs.map(([name, value]) => element("tr", {}, element("td", { className: "dim", textContent: name }), element("td", { className: "name", textContent: value, title: value })))));
}

// The panel below the lanes. `page` is the TimelinePage.
class Panel {
  constructor(page) {
    this.page = page;
    this.tab = "events";
    this.turn = 0;  // of asynchronous answers: only the newest is shown
    const tabs = [["events", "Events"], ["selection", "Selection"], ["flame", "Flame graph"], ["about", "Recording"]];
    byId("tabs").replaceChildren(...tabs.map(([tab, words]) => {
      const button = element("button", { textContent: words, id: "tab-" + tab });
      button.setAttribute("role", "tab");
      button.onclick = () => this.open(tab);
      return button;
    }));
    this.flame = new FlameView(page.store.profile, byId("flame"), { hover: (box, event) => this.hoverFrame(box, event), pick: () => {}, zoom: () => {} });
    this.showAbout();
  }
  open(tab) {
    this.tab = tab;
    for (const name of ["events", "selection", "flame", "about"]) {
      byId("panel-" + name).hidden = name !== tab;
      byId("tab-" + name).setAttribute("aria-selected", String(name === tab));
    }
    this.refresh();
  }
  refresh() {
    const turn = ++this.turn, current = () => turn === this.turn;
    if (this.tab === "events") this.showEvents(current);
    if (this.tab === "selection") this.showSelection(current);
    if (this.tab === "flame") this.showFlame(current);
  }

  // Events from the left edge of the view, or around the selected one.
  async showEvents(current) {
    const { page } = this, { store, layout } = page, host = byId("panel-events"), { selected, view } = page;
    const from = selected?.event ? selected.event : { block: store.range(view.from, view.from)[0], row: 0 };
    const made = [];
    await store.loadStacks();
    let { block, row } = from;
    if (block >= store.blocks.length) return host.replaceChildren(element("p", { textContent: "No events here." }));
    const before = selected?.event ? Math.min(row, 30) : 0;
    let rows = await store.load(block);
    if (!selected?.event && rows) row = rows.eventAt(view.from);
    row -= before;
    while (current() && made.length < MOST_LISTED && block < store.blocks.length) {
      rows = await store.load(block);
      for (; rows && row < rows.time.length && made.length < MOST_LISTED; ++row) {
        if (!layout.visible(rows.type[row])) continue;
        made.push({ block, row, time: rows.time[row], task: rows.task[row], cpu: rows.cpu[row], type: rows.type[row], stack: rows.stack[row], fields: await store.fieldTexts(block, row) });
      }
      row = 0;
      ++block;
    }
    if (!current()) return;
    const body = element("tbody");
    for (const event of made) body.append(this.eventLine(event));
    host.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...["Time", "CPU", "Task", "Event", "Fields"].map((textContent) => element("th", { textContent })))), body));
    host.querySelector("tr.chosen")?.scrollIntoView({ block: "center" });
  }
  eventLine(event) {
    const { page } = this, { store } = page, chosen = page.selected?.event;
    const fields = (event.fields || [["fields", "left out"]]).map(([name, value]) => `${name}=${value}`);
    const text = [...fields, page.finder.stackLines(event.stack).slice(0, 6).join(" ← ")].join(" ");
    const line = element("tr", { className: chosen && chosen.block === event.block && chosen.row === event.row ? "chosen" : "" },
      ...[seconds(event.time), String(event.cpu), store.taskName(event.task), store.head.types[event.type].name].map((textContent) => element("td", { textContent })),
      element("td", { className: "fields", textContent: text, title: text }));
    line.onclick = () => page.selectEvent(event, false);
    return line;
  }

  async showSelection(current) {
    const { page } = this, host = byId("panel-selection"), { selected } = page;
    if (!selected) return host.replaceChildren(element("p", { textContent: "Click an event or a bar to select it." }));
    const parts = [];
    if (selected.lines?.length) parts.push(...selected.lines.map((text) => element("p", { textContent: text })));
    if (selected.event) {
      const { title, lines, stack } = await page.finder.eventText(selected.event);
      parts.push(element("h2", { textContent: title }), listOf(lines));
      if (stack.length > 0) parts.push(element("h3", { textContent: "Call stack" }), element("div", { className: "code" }, ...stack.map((textContent) => element("div", { textContent }))));
    }
    if (current()) host.replaceChildren(...parts);
  }

  // Stacks of the events in the range between the markers, or in view.
  async showFlame(current) {
    const { page } = this, { store } = page, range = page.markedRange();
    await store.loadStacks();
    if (!current()) return;
    const { profile } = store;
    this.flame.profile = profile;
    const self = new Float64Array(profile.parents.length), tools = byId("flame-tools");
    const [low, end] = store.range(range.from, range.to), wanted = this.stackedTypes();
    let count = 0;
    for (let block = low; block < end; ++block) {
      const rows = await store.load(block);
      if (!current()) return;
      if (!rows) continue;
      for (let at = rows.eventAt(range.from); at < rows.time.length && rows.time[at] <= range.to; ++at)
        if (rows.stack[at] && wanted[rows.type[at]]) ++self[rows.stack[at]], ++count;
      tools.textContent = `Reading ${Math.round((block - low + 1) / (end - low) * 100)} %`;
    }
    tools.textContent = count === 0 ? "No stacks here: record cpu-clock, or tracepoints with -g." : `${grouped(count)} stacks of ${this.typeNames(wanted)} ${range.marked ? "between A and B" : "in view"}, ${duration(range.to - range.from)}. Click a box to zoom in.`;
    this.tree = stackTree(profile, self, new Float64Array(self.length));
    this.flame.show(this.tree, 0, true);
    byId("panel").scrollTop = 0;
  }
  // Sampled events: their stacks show where time was spent. Without them, tracepoints.
  stackedTypes() {
    const { types } = this.page.store.head, shown = types.map((type, at) => type.count > 0 && this.page.layout.visible(at));
    const sampled = types.map((type, at) => shown[at] && !type.tracepoint);
    return sampled.includes(true) ? sampled : shown;
  }
  typeNames(wanted) {
    const names = this.page.store.head.types.map((type) => type.name).filter((name, at) => wanted[at]);
    return names.length > 3 ? `${names.length} events` : names.join(", ");
  }
  hoverFrame(box, event) {
    const tip = byId("tip");
    if (!box || !event) return void (tip.hidden = true);
    const { tree, node } = box, { profile } = this.page.store, frame = tree.frames[node];
    tip.replaceChildren(element("b", { textContent: node === 0 ? "all" : profile.frameNames[frame] }), element("div", { className: "dim", textContent: profile.frameDsos[frame] || "" }),
      element("div", { textContent: `${grouped(tree.total[node])} stacks, ${percent(tree.total[node], tree.total[0])}` }));
    placeTip(event);
  }

  showAbout() {
    const { head } = this.page.store, host = byId("panel-about");
    host.replaceChildren(...head.notes.map((textContent) => element("p", { className: "warn", textContent })), listOf([...head.facts, ["Made by", head.made_by]]));
  }
}
