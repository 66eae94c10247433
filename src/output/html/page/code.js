// The instructions and source of the hottest functions, with the value of each line.

// When lines were hit: `line_times` of the page. Its slots may be longer than those of the time line.
class LineTimes {
  constructor(profile) {
    const { line_times: times, series } = profile;
    this.profile = profile;
    this.first = [];  // by function: its first line
    this.count = 0;
    for (const code of profile.code) {
      this.first.push(this.count);
      this.count += code.lines.length;
    }
    this.known = Boolean(times) && profile.timed;
    if (!this.known) return;
    this.times = times;
    this.line = addUp(times.line);
    this.slot = addUp(times.slot);
    this.samples = Float64Array.from(times.samples);
    this.period = times.period ? Float64Array.from(times.period) : this.samples.map((samples) => samples * times.each);
    const ofWeight = addUp(times.series);
    this.begins = new Int32Array(series.length + 1);  // of the series' weights
    for (const at of ofWeight) ++this.begins[at + 1];
    for (let at = 0; at < series.length; ++at) this.begins[at + 1] += this.begins[at];
  }
  // The slots with their middle in the range; at least one.
  slotsIn(range) {
    const { time } = this.profile, { start, length, slots } = this.times, shift = (time.start - start) / length;
    const place = (slot) => Math.max(0, Math.min(slots, Math.round(slot * time.length / length + shift)));
    const [first, end] = range.map(place);
    return first < end ? [first, end] : [Math.min(first, slots - 1), Math.min(first, slots - 1) + 1];
  }
  // The sum of each line in the range; lines are numbered across all functions.
  sums(series, measure, range) {
    const sums = new Float64Array(this.count), [first, end] = this.slotsIn(range), values = this[measure];
    for (let at = this.begins[series]; at < this.begins[series + 1]; ++at)
      if (this.slot[at] >= first && this.slot[at] < end) sums[this.line[at]] += values[at];
    return sums;
  }
}

class CodeView {
  constructor(profile, list, head, host) { Object.assign(this, { profile, list, head, host, times: new LineTimes(profile) }); }

  // The index of a function in the list, or -1.
  find(frame) {
    const { frameNames, frameDsos } = this.profile;
    return this.profile.code.findIndex((code) => code.name === frameNames[frame] && code.dso === frameDsos[frame]);
  }

  // The sum of each function in the list, including functions inlined into it. `self` is indexed by stack.
  sumsOf(self) {
    const { profile } = this, byFrame = new Float64Array(profile.frameNames.length);
    for (let stack = 1; stack < self.length; ++stack) {
      if (self[stack] === 0) continue;
      let at = stack;
      while (profile.frameKinds[profile.stackFrames[at]] === INLINED && profile.parents[at] !== 0) at = profile.parents[at];
      byFrame[profile.stackFrames[at]] += self[stack];
    }
    const sums = new Map();
    byFrame.forEach((sum, frame) => { if (sum > 0) sums.set(profile.frameNames[frame] + "\n" + profile.frameDsos[frame], sum); });
    return profile.code.map((code) => sums.get(code.name + "\n" + code.dso) || 0);
  }

  // `self` and `whole` are those of the selected time range.
  show(state, marked, self, whole, choose) {
    const { profile } = this, field = state.measure === "samples" ? 0 : 1;
    if (profile.code.length === 0) {
      this.head.replaceChildren("No code: no sampled function has code, or the page was written without it.");
      this.host.replaceChildren();
      return;
    }
    const part = state.range || state.threads.length > 0;
    const sums = part ? this.sumsOf(self) : profile.code.map((code) => code.total[state.series][field]);
    const order = Array.from(profile.code.keys()).sort((a, b) => sums[b] - sums[a] || a - b);
    const known = state.code >= 0 && state.code < profile.code.length;
    const chosen = known ? state.code : order.find((at) => !profile.code[at].missing) ?? order[0];
    showList(this.list, order.map((at) => ({
      label: profile.code[at].name, value: percent(sums[at], whole), chosen: at === chosen,
      color: this.colorOf(profile.code[at]), match: marked && this.matches(profile.code[at], marked),
    })), (place) => choose(order[place]));
    const code = profile.code[chosen], hits = this.hitsOf(chosen, state, field);
    this.head.replaceChildren(element("b", { textContent: code.name }), element("span", {
      className: "grow", title: code.file,
      textContent: `${code.dso} · ${percent(sums[chosen], whole)} of ${part ? "the selection" : "total"}, ${amount(sums[chosen], profile.unitOf(state.series, state.measure))}` +
        (state.range ? this.stepRemark() : "") + (state.threads.length > 0 ? " · lines: all threads" : ""),
    }));
    if (!code.missing) this.head.append(this.hottestButton());
    const total = state.range && this.times.known ? hits.reduce((sum, own) => sum + own, 0) : code.total[state.series][field];
    this.host.replaceChildren(this.listing(code, hits, total));
    this.toHottest();
  }
  // The value of each line of a function in the selected range.
  hitsOf(chosen, state, field) {
    const { lines } = this.profile.code[chosen];
    if (!state.range || !this.times.known) return lines.map((line) => (line.hits ? line.hits[state.series * 2 + field] : 0));
    const first = this.times.first[chosen];
    return Array.from(this.times.sums(state.series, state.measure, state.range).subarray(first, first + lines.length));
  }
  stepRemark() {
    if (!this.times.known) return " · lines: whole recording";
    const { length } = this.times.times;
    return length > this.profile.time.length ? ` · lines: ${duration(length)} per step` : "";
  }
  colorOf(code) {
    const frame = this.profile.frameNames.findIndex((name, at) => name === code.name && this.profile.frameDsos[at] === code.dso);
    return frame < 0 ? "grey" : this.profile.colors[frame];
  }
  matches(code, marked) {
    return this.profile.frameNames.some((name, at) => marked[at] && name === code.name);
  }
  hottestButton() {
    const button = element("button", { textContent: "Hottest line", title: "h" });
    button.onclick = () => this.toHottest();
    return button;
  }

  listing(code, hitsOf, total) {
    const box = element("div", { className: "code" });
    if (code.missing) {
      box.append(element("pre", { className: "warn", textContent: code.missing }));
      return box;
    }
    this.lines = [];
    this.hottest = null;
    const widest = Math.max(...hitsOf, 1e-9) / Math.max(total, 1e-9);
    let most = 0;
    for (const [at, line] of code.lines.entries()) {
      if (line.left_out) box.append(element("div", { className: "gap", textContent: `… ${counted(line.left_out, "instruction")} without samples` }));
      for (const [number, text] of line.source || []) box.append(this.sourceLine(number, text));
      const hits = hitsOf[at], made = this.codeLine(line, hits, total > 0 ? hits / total : 0, widest);
      if (hits > most) [most, this.hottest] = [hits, made];
      this.lines.push(made);
      box.append(made);
    }
    return box;
  }
  sourceLine(number, text) {
    return element("div", { className: "source" }, element("span", { className: "hits" }), element("span", { className: "heat" }),
      element("span", { className: "line", textContent: number || "" }), text);
  }
  codeLine(line, hits, share, widest) {
    const heat = element("span", { className: "heat" });
    heat.style.setProperty("--share", (share / widest * 100).toFixed(1) + "%");
    const text = element("span", { textContent: line.text });
    const made = element("div", { className: share >= 0.05 ? "hot" : "", title: line.place || "" },
      element("span", { className: "hits", textContent: hits > 0 ? (share * 100).toFixed(2) : "" }), heat,
      element("span", { className: "address", textContent: line.address }), text);
    if (line.leads_to !== undefined) {
      text.className = "leads";
      text.onclick = () => this.flash(this.lines[line.leads_to]);
    }
    return made;
  }
  flash(line) {
    if (!line) return;
    line.scrollIntoView({ block: "center" });
    line.classList.add("flash");
    setTimeout(() => line.classList.remove("flash"), 900);
  }
  toHottest() { if (this.hottest) this.hottest.scrollIntoView({ block: "center" }); }
}
