// The instructions and source of the hottest functions, with what fell on each.

class CodeView {
  constructor(profile, list, head, host) { Object.assign(this, { profile, list, head, host }); }

  // The place of a function in the list, or -1.
  find(frame) {
    const { frameNames, frameDsos } = this.profile;
    return this.profile.code.findIndex((code) => code.name === frameNames[frame] && code.dso === frameDsos[frame]);
  }

  // What fell on each function of the list, with all that is inlined into it, by what fell on each stack.
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

  // `self`, `whole`: of the chosen range of time. Lines have what hit them at all times.
  show(state, marked, self, whole, choose) {
    const { profile } = this, field = state.measure === "samples" ? 0 : 1;
    if (profile.code.length === 0) {
      this.head.replaceChildren("No function with code was hit, or this page was written without code.");
      this.host.replaceChildren();
      return;
    }
    const sums = state.range ? this.sumsOf(self) : profile.code.map((code) => code.total[state.series][field]);
    const order = Array.from(profile.code.keys()).sort((a, b) => sums[b] - sums[a] || a - b);
    const known = state.code >= 0 && state.code < profile.code.length;
    const chosen = known ? state.code : order.find((at) => !profile.code[at].missing) ?? order[0];
    showList(this.list, order.map((at) => ({
      label: profile.code[at].name, value: percent(sums[at], whole), chosen: at === chosen,
      color: this.colorOf(profile.code[at]), match: marked && this.matches(profile.code[at], marked),
    })), (place) => choose(order[place]));
    const code = profile.code[chosen], total = code.total[state.series][field];
    this.head.replaceChildren(element("b", { textContent: code.name }), element("span", {
      className: "grow", title: code.file,
      textContent: `${code.dso} · ${percent(sums[chosen], whole)} of ${state.range ? "the chosen range" : "everything"}, ${amount(sums[chosen], profile.unitOf(state.series, state.measure))}` +
        (state.range ? " · lines: all times" : ""),
    }));
    if (!code.missing) this.head.append(this.hottestButton());
    this.host.replaceChildren(this.listing(code, state.series, field, total));
    this.toHottest();
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

  listing(code, series, field, total) {
    const box = element("div", { className: "code" });
    if (code.missing) {
      box.append(element("pre", { className: "warn", textContent: code.missing }));
      return box;
    }
    this.lines = [];
    this.hottest = null;
    const hitsOf = (line) => (line.hits ? line.hits[series * 2 + field] : 0);
    const widest = Math.max(...code.lines.map(hitsOf), 1e-9) / Math.max(total, 1e-9);
    let most = 0;
    for (const line of code.lines) {
      if (line.left_out) box.append(element("div", { className: "gap", textContent: `… ${line.left_out} instructions that were not hit` }));
      for (const [number, text] of line.source || []) box.append(this.sourceLine(number, text));
      const hits = hitsOf(line), made = this.codeLine(line, hits, total > 0 ? hits / total : 0, widest);
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
