// Choosing threads: rows below the time line, their tools, and the chip that shows which threads are chosen.

Page.prototype.hoverLane = function (row, event) {
  const tip = byId("tip"), { state, lanes, profile } = this;
  tip.hidden = row === null;
  if (row === null) return;
  const sum = lanes.sum(row, state.series, state.measure, state.range), first = lanes.rows[row.lanes[0]];
  const words = [`${amount(sum, this.unit())}, ${percent(sum, this.all)}${state.range ? " of the time range" : ""}`];
  if (lanes.waited(row) > 0) words.push(`off the CPU: ${duration(lanes.waited(row))} in total`);
  if (first.joined) words.push("only the busiest threads have a row");
  if (profile.threaded && first.cpu === undefined) words.push(lanes.chosen(row) ? "click to show all threads" : "click to show only this, Ctrl-click to add");
  tip.replaceChildren(element("b", { textContent: row.label }), ...words.map((text) => element("div", { textContent: text })));
  placeTip(event);
};

// A click chooses a row's threads only, or all threads again; `add` adds or removes the row.
Page.prototype.pickThreads = function (row, add) {
  if (!this.profile.threaded) return;
  const { threads } = this.state, chosen = row.lanes.every((lane) => threads.includes(lane));
  const others = threads.filter((lane) => !row.lanes.includes(lane));
  if (add) this.set({ threads: chosen ? others : others.concat(row.lanes) });
  else this.set({ threads: chosen && others.length === 0 ? [] : row.lanes });
};

// "worker 12", "worker (3)", "5 threads".
Page.prototype.chosenThreads = function () {
  const { threads, merged } = this.state;
  if (threads.length === 1) return this.lanes.laneLabel(threads[0]);
  const row = this.lanes.rowsOf("threads", merged).find((one) => one.lanes.length === threads.length && one.lanes.every((lane) => threads.includes(lane)));
  return row ? row.label : counted(threads.length, "thread");
};
Page.prototype.showChips = function () {
  const { threads } = this.state, host = byId("chips");
  host.replaceChildren();
  if (threads.length === 0) return;
  const chip = element("button", { className: "chip", id: "chosen-threads", textContent: `${this.chosenThreads()} ✕`, title: "Show all threads (Esc)" });
  chip.onclick = () => this.set({ threads: [] });
  host.append(chip);
};

// Shows the buttons to the right of the range, and the rows.
Page.prototype.showLanes = function () {
  const { state, profile } = this, kinds = Lanes.kinds(profile), shown = state.lanes !== "";
  const titles = { threads: "Threads", cpus: "CPUs" };
  const buttons = kinds.map((kind) => toggle(titles[kind], state.lanes === kind, () => this.set({ lanes: state.lanes === kind ? "" : kind }, true), `Show one row per ${kind === "cpus" ? "CPU" : "thread"} below the time line (l)`));
  const threads = state.lanes === "threads" && profile.lanes.rows.filter((row) => row.cpu === undefined).length > 1;
  if (threads) buttons.unshift(toggle("Merge names", state.merged, () => this.set({ merged: !state.merged }, true), "Show one row for all threads with the same name"));
  byId("thread-tools").hidden = !threads;
  byId("lane-tools").replaceChildren(...buttons);
  byId("lanes-scroll").hidden = !shown;
  const field = byId("named");
  if (field.value !== state.named) field.value = state.named;
  if (shown) this.lanes.show(state, this.chosen, state.named === "" ? null : searchPattern(state.named, field));
};
Page.prototype.nextLanes = function () {
  const kinds = ["", ...Lanes.kinds(this.profile)];
  this.set({ lanes: kinds[(kinds.indexOf(this.state.lanes) + 1) % kinds.length] }, true);
};
// The field that filters thread names: Enter chooses the threads shown.
Page.prototype.listenNamed = function (field) {
  field.oninput = () => this.set({ named: field.value }, true, true);
  field.onkeydown = (event) => {
    if (event.key === "Enter" && this.profile.threaded) this.set({ threads: field.value === "" ? [] : this.lanes.shown.flatMap((row) => row.lanes) });
  };
};
