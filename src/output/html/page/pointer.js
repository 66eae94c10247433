// Actions of the mouse and the keyboard, and the toolbars above views.

Page.prototype.hoverBox = function (box, event) {
  const { profile } = this, tip = byId("tip");
  if (!box) {
    tip.hidden = true;
    byId("details").textContent = this.summary();
    return;
  }
  const { tree, node, root } = box, frame = tree.frames[node], name = node === 0 ? "all" : profile.frameNames[frame];
  const value = `${amount(tree.total[node], this.unit())}, ${percent(tree.total[node], this.whole)} of total` +
    (root !== 0 && node !== root ? `, ${percent(tree.total[node], tree.total[root])} of the zoomed frame` : "");
  const time = tree.ordered && node !== 0 ? slotsOfBox(profile, tree, node, this.state.range).map((slot) => duration(slot * profile.time.length)).join(" to ") : "";
  const own = tree.self[node] > 0 ? `self ${percent(tree.self[node], this.whole)}` : "";
  const place = node === 0 ? "" : [KINDS[profile.frameKinds[frame]].word, profile.frameDsos[frame]].filter(Boolean).join(" · ");
  const parts = [time, value, own];
  if (profile.compared) {
    const now = tree.total[node] / Math.max(tree.total[0], 1), then = tree.totalBefore[node] / profile.wholeBefore(tree.total[0], tree.totalBefore[0]);
    parts.push(`before ${(then * 100).toFixed(2)} %, ${now >= then ? "+" : "−"}${Math.abs((now - then) * 100).toFixed(2)}`);
  }
  byId("details").textContent = [name, place, ...parts].filter(Boolean).join(" · ");
  if (!event) return;
  tip.replaceChildren(element("b", { textContent: name }), element("div", { className: "dim", textContent: place }),
    ...parts.filter(Boolean).map((text) => element("div", { textContent: text })));
  placeTip(event);
};

Page.prototype.hoverCell = function (cell, event) {
  const tip = byId("tip");
  tip.hidden = !cell;
  if (!cell) return;
  const { length } = this.profile.time;
  tip.replaceChildren(element("b", { textContent: `${duration(cell.range[0] * length)} to ${duration(cell.range[1] * length)}` }),
    element("div", { textContent: amount(cell.value, this.unit()) }));
  placeTip(event);
};

function showFlameTools(page, host, node) {
  const { state, profile, tree } = page;
  const crumbs = element("span", { className: "grow" });
  const all = element("button", { className: "crumb", id: "reset", textContent: node === 0 ? "" : "Reset zoom" });
  all.onclick = () => page.set({ zoom: [] }, true);
  if (tree.ordered) crumbs.append(`From left to right: time${state.threads.length === 0 ? "; clearest for one thread" : ""}. Click a box to select its time.`);
  crumbs.append(all, node === 0 ? "" : " · " + tree.path(node).map((frame) => profile.frameNames[frame]).slice(-4).join(" › "));
  host.replaceChildren(
    toggle("Icicle", state.down, () => page.set({ down: !state.down }, true), "Show callers above their callees (i)"),
    toggle("Reverse", state.reversed && !tree.ordered, () => page.turnReversed(), "Start from the sampled functions, callers above them (r)"));
  if (page.canOrder()) host.append(toggle("Time order", Boolean(tree.ordered), () => page.turnOrdered(), "Draw stacks from left to right in the order of time (o)"));
  host.append(crumbs);
}

function showSandwichHead(page, host, row) {
  const { profile, state } = page;
  host.replaceChildren();
  if (!row) return;
  host.append(element("b", { textContent: row.name }), element("span", {
    className: "grow", textContent: `${row.dso} · self ${percent(row.own, page.whole)}, total ${percent(row.inclusive, page.whole)}`,
  }));
  const code = page.code.find(state.frame);
  if (code < 0) return;
  const button = element("button", { textContent: "Code", title: "a" });
  button.onclick = () => page.set({ view: "code", code });
  host.append(button);
}

// The colours of the heat map, from no samples to the fullest step.
function heatScale(page, most, joined) {
  const dark = document.documentElement.classList.contains("dark"), ramp = element("span", { className: "ramp" });
  const colors = [0.01, 0.25, 0.5, 0.75, 1].map((share) => heatColor(share, dark));
  ramp.style.background = `linear-gradient(to right, ${colors.join(", ")})`;
  return element("span", { className: "scale", id: "heat-scale" }, "0", ramp, `${amount(most, page.unit())} per ${duration(page.profile.time.length * joined)} step`);
}

function showHeatTools(page, host) {
  const button = element("button", { textContent: "Flame graph of selection" });
  button.disabled = !page.state.range;
  button.onclick = () => page.set({ view: "flame" });
  const hint = "Each column is one second. Drag to select a range; search filters.";
  host.replaceChildren(button, element("span", { className: "grow", textContent: hint, title: hint }));
}

Page.prototype.turnReversed = function () { this.set({ reversed: !this.state.reversed || this.state.ordered, ordered: false, zoom: [] }, true); };
Page.prototype.turnOrdered = function () { this.set({ ordered: !this.state.ordered, zoom: [], view: "flame" }, true); };

Page.prototype.help = function () { showKeys("Keyboard shortcuts", KEYS); };

Page.prototype.escape = function () {
  const { state } = this;
  if (state.find !== "") this.set({ find: "" });
  else if (state.zoom.length > 0) this.set({ zoom: [] }, true);
  else if (state.range) this.set({ range: null });
  else if (state.threads.length > 0) this.set({ threads: [] });
};

Page.prototype.key = function (event) {
  const { state, profile } = this, typing = event.target.tagName === "INPUT";
  if (event.key === "Escape") {
    if (byId("keys").open) return;
    event.target.blur();
    if (event.target === byId("named") && state.named !== "") return this.set({ named: "" }, true);
    return this.escape();
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "f") return this.startSearch(event);
  if (typing && event.key === "Enter") return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const chosen = this.flame.chosen > 0 && this.tree && state.view === "flame" ? this.tree.frames[this.flame.chosen] : state.frame;
  const act = {
    "/": () => this.startSearch(event),
    "?": () => this.help(),
    i: () => this.set({ down: !state.down }, true),
    r: () => this.turnReversed(),
    o: () => { if (this.canOrder()) this.turnOrdered(); },
    t: () => this.turnTheme(),
    m: () => this.set({ measure: state.measure === "samples" ? "period" : "samples" }),
    e: () => this.set({ series: profile.compared ? 0 : (state.series + 1) % profile.series.length }),
    l: () => this.nextLanes(),
    s: () => this.pick(chosen),
    h: () => this.code.toHottest(),
    a: () => { if (this.code.find(chosen) >= 0) this.set({ view: "code", code: this.code.find(chosen) }); },
  }[event.key];
  if (act) return act();
  const tab = this.tabs[Number(event.key) - 1];
  if (tab) this.set({ view: tab[0] });
};
Page.prototype.startSearch = function (event) {
  event.preventDefault();
  byId("find").focus();
  byId("find").select();
};

unpackProfile().then((profile) => {
  window.page = new Page(profile);
  document.body.dataset.ready = "yes";
}).catch((error) => {
  document.body.prepend(element("p", { className: "warn", textContent: "Cannot show this page: " + error.message }));
});
