// The style sheet and script of a time chart. The script changes the visible time range; names, times and sums come
// from labels and titles.
#pragma once
#include <string_view>

namespace peregrine {

// Okabe and Ito's palette: kinds differ in lightness, too.
inline constexpr std::string_view kTimeChartStyle = R"css(
svg { font-family: Verdana, "DejaVu Sans", Helvetica, sans-serif; font-size: 11px; }
.back { fill: #fff; }
text { fill: #16181d; }
#title { font-size: 16px; font-weight: bold; text-anchor: middle; }
#subtitle { fill: #5c6470; text-anchor: middle; }
#search, .right { text-anchor: end; }
.right { fill: #5c6470; }
.name { font-weight: bold; }
.button { fill: #0b5cad; cursor: pointer; }
.button:hover { text-decoration: underline; }
#reset { visibility: hidden; }
#axis line { stroke: #d5d9e0; stroke-width: 1; }
#axis text { fill: #5c6470; }
#plot { cursor: crosshair; }
#rows rect { vector-effect: non-scaling-stroke; stroke-width: 0.5; }
#rows rect:hover { stroke: #000; stroke-width: 1.5; }
.run { fill: #0072b2; stroke: #0072b2; }
.mark { fill: #cc79a7; stroke: #cc79a7; }
.wait { fill: #f0d000; stroke: #f0d000; }
.block { fill: #d55e00; stroke: #d55e00; }
.sleep { fill: #aab2bd; stroke: none; }
.idle { fill: #e8ecf1; stroke: #e8ecf1; }
.idle2 { fill: #cfd8e3; stroke: #cfd8e3; }
.idle3 { fill: #adbccd; stroke: #adbccd; }
.freq { fill: #009e73; stroke: #009e73; }
.disk { fill: #0072b2; stroke: #0072b2; }
.net { fill: #009e73; stroke: #009e73; }
.sync { fill: #e69f00; stroke: #e69f00; }
.poll { fill: #cfe8f7; stroke: #cfe8f7; }
.error { fill: #d55e00; stroke: #d55e00; }
/* The group's opacity keeps dense lines from adding up to black. */
#wakes { opacity: 0.35; }
#wakes path { stroke: #16181d; fill: none; vector-effect: non-scaling-stroke; }
#wakes path.dot { stroke-width: 4; stroke-linecap: round; }
#wakes g:hover path { stroke: #b5179e; }
#labels text, #names text { paint-order: stroke; stroke: #fff; stroke-width: 3; stroke-linejoin: round; }
#names text { stroke: #0072b2; }
#wakes.hidden { display: none; }
#names { pointer-events: none; }
#names text { fill: #fff; }
#cursor { pointer-events: none; visibility: hidden; }
#cursor line { stroke: #b5179e; }
#cursor text { fill: #b5179e; }
#cursor rect { fill: #b5179e; fill-opacity: 0.2; }
.dim, #wakes.dim { opacity: 0.2; }
@media (prefers-color-scheme: dark) {
  .back { fill: #14161a; }
  text { fill: #e6e8ec; }
  #subtitle, .right, #axis text { fill: #9aa3b0; }
  .button { fill: #7ab8ff; }
  #axis line { stroke: #2c313a; }
  .run, .disk { fill: #3d9bd6; stroke: #3d9bd6; }
  .sleep { fill: #5c6470; }
  .idle { fill: #23272f; stroke: #23272f; }
  .idle2 { fill: #323a46; stroke: #323a46; }
  .idle3 { fill: #465364; stroke: #465364; }
  .poll { fill: #21485c; stroke: #21485c; }
  #rows rect:hover { stroke: #fff; }
  #wakes path { stroke: #fff; }
  #labels text { stroke: #14161a; }
  #names text { stroke: #14161a; }
}
)css";

inline constexpr std::string_view kTimeChartScript = R"js(
"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const page = byId("page"), plot = byId("plot"), cursor = byId("cursor"), wakes = byId("wakes");
  const length = Number(page.dataset.length), top = Number(page.dataset.top), bottom = Number(page.dataset.bottom);
  const units = plot.viewBox.baseVal.width, tall = plot.viewBox.baseVal.height, closest = 1 / 2000;
  const rows = Array.from(byId("rows").children), labels = Array.from(byId("labels").children);
  let view = {from: 0, until: 1}, pattern = null, dragged = null;

  page.setAttribute("width", "100%");
  const width = () => page.getBoundingClientRect().width;
  const make = (name, parent, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return parent.appendChild(made);
  };
  function duration(ns) {
    for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]])
      if (ns >= size) return Number((ns / size).toPrecision(6)) + " " + unit;
    return Math.round(ns) + " ns";
  }

  // Truncates a line of text that is wider than `room` pixels.
  function fitLine(text, full, room) {
    text.textContent = full;
    for (let end = full.length - 1; end > 0 && text.getComputedTextLength() > room; --end)
      text.textContent = full.slice(0, end) + "…";
  }
  const title = byId("title"), subtitle = byId("subtitle"), legend = byId("legend");
  const fullTitle = title.textContent, fullSubtitle = subtitle.textContent;
  // Fits the head into a narrow window: truncates the titles, shrinks the legend.
  function fitHead() {
    const side = pattern === null ? 10 : byId("matched").getComputedTextLength() + 20;
    fitLine(title, fullTitle, width() - 2 * 95);
    fitLine(subtitle, fullSubtitle, width() - 2 * side);
    const box = legend.getBBox(), scale = Math.min(1, (width() - 20) / Math.max(box.width, 1));
    const y = box.y + box.height / 2;
    legend.setAttribute("transform", `translate(${10 * (1 - scale)} ${y * (1 - scale)}) scale(${scale})`);
  }

  function drawAxis() {
    const axis = byId("axis"), shown = (view.until - view.from) * length, most = Math.max(2, width() / 90);
    let step = Math.pow(10, Math.floor(Math.log10(shown / most)));
    for (const factor of [2, 2.5, 2]) if (shown / step > most) step *= factor;
    axis.replaceChildren();
    for (let time = Math.ceil(view.from * length / step) * step; time < view.until * length; time += step) {
      const share = (time / length - view.from) / (view.until - view.from) * 100, x = share + "%";
      const side = share > 93 ? {class: "right", dx: -3} : {dx: 3};
      make("line", axis, {x1: x, x2: x, y1: top - 4, y2: bottom});
      for (const y of [top - 7, bottom + 14]) make("text", axis, {x, y, ...side}).textContent = duration(time);
    }
  }

  // Writes the names of tasks on bars of CPUs with enough room.
  function nameBars() {
    const names = byId("names"), scale = width() / (view.until - view.from) / units;
    names.replaceChildren();
    for (const rect of plot.querySelectorAll(".cpu rect.run, .cpu rect.mark")) {
      const from = Math.max(0, rect.x.baseVal.value * scale - view.from * units * scale);
      const until = Math.min(width(), (rect.x.baseVal.value + rect.width.baseVal.value) * scale - view.from * units * scale);
      const title = rect.textContent, end = title.lastIndexOf(" ran ");
      if (until - from < 30 || end < 0) continue;
      const room = Math.floor((until - from - 6) / 6.65), name = title.slice(0, end);
      const text = name.length <= room ? name : name.slice(0, room - 2) + "..";
      make("text", names, {x: from + 3, y: top + rect.y.baseVal.value + 11}).textContent = text;
    }
  }

  function draw() {
    plot.setAttribute("viewBox", [view.from * units, 0, (view.until - view.from) * units, tall].join(" "));
    byId("reset").style.visibility = view.until - view.from === 1 ? "hidden" : "visible";
    drawAxis();
    nameBars();
    fitHead();
  }

  // The address contains the view, so that links reproduce it.
  function keep() {
    const parts = [];
    if (view.until - view.from < 1) parts.push("from=" + view.from, "until=" + view.until);
    if (pattern !== null) parts.push("find=" + encodeURIComponent(pattern.source));
    try {
      window.history.replaceState(null, "", "#" + parts.join("&"));
    } catch (error) {}
  }
  function show(from, until) {
    const span = Math.min(1, Math.max(until - from, closest));
    const start = Math.min(Math.max(0, (from + until - span) / 2), 1 - span);
    view = {from: start, until: start + span};
    keep();
    draw();
  }

  function find(words) {
    try {
      pattern = words ? new RegExp(words, "i") : null;
    } catch (error) {
      pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
    }
    let matched = 0;
    labels.forEach((label, i) => {
      const hit = pattern === null || pattern.test(label.firstElementChild.textContent);
      if (hit) ++matched;
      for (const part of [label, rows[i]]) part.classList.toggle("dim", !hit);
    });
    if (wakes) wakes.classList.toggle("dim", pattern !== null);
    byId("matched").textContent = pattern === null ? " " : "Matched: " + matched + " of " + labels.length + " rows";
    byId("search").textContent = pattern === null ? "Search" : "Reset search";
    fitHead();
  }
  function ask() {
    find(pattern === null ? window.prompt("Names to find (regular expression):", "") : null);
    keep();
  }

  const share = (event) => {
    const x = (event.clientX - page.getBoundingClientRect().left) / width();
    return view.from + Math.min(1, Math.max(0, x)) * (view.until - view.from);
  };
  const place = (at) => (at - view.from) / (view.until - view.from) * width();
  page.addEventListener("mousedown", (event) => {
    const y = event.clientY - page.getBoundingClientRect().top;
    if (event.button !== 0 || y < top || y > bottom) return;
    dragged = share(event);
    event.preventDefault();
  });
  // The line below the pointer, with its time or, while dragging, the selected time.
  function point(event) {
    const at = share(event), [line, text] = cursor.children, x = place(at), right = x > width() - 80;
    cursor.style.visibility = "visible";
    for (const [key, value] of Object.entries({x1: x, x2: x, y1: top, y2: bottom})) line.setAttribute(key, value);
    text.setAttribute("x", x);
    text.setAttribute("dx", right ? -4 : 4);
    text.setAttribute("text-anchor", right ? "end" : "start");
    text.setAttribute("y", top + 8);
    text.textContent = dragged === null ? duration(at * length) : duration(Math.abs(at - dragged) * length);
    if (cursor.children.length > 2) cursor.lastChild.remove();
    if (dragged !== null)
      make("rect", cursor, {x: place(Math.min(at, dragged)), y: top, width: Math.abs(place(at) - place(dragged)), height: bottom - top});
  }
  page.addEventListener("mousemove", point);
  page.addEventListener("mouseleave", () => { cursor.style.visibility = "hidden"; });
  window.addEventListener("mouseup", (event) => {
    if (dragged === null) return;
    const from = dragged, until = share(event);
    dragged = null;
    if (cursor.children.length > 2) cursor.lastChild.remove();
    if (Math.abs(place(until) - place(from)) > 4) show(Math.min(from, until), Math.max(from, until));
    point(event);
  });
  page.addEventListener("dblclick", () => show(0, 1));
  byId("reset").addEventListener("click", () => show(0, 1));
  byId("search").addEventListener("click", ask);
  window.addEventListener("keydown", (event) => {
    const span = view.until - view.from, move = (by) => show(view.from + by * span, view.until + by * span);
    if (event.key === "Escape") show(0, 1);
    else if (event.key === "ArrowLeft") move(-0.25);
    else if (event.key === "ArrowRight") move(0.25);
    else if (event.key === "+") show(view.from + span / 4, view.until - span / 4);
    else if (event.key === "-") show(view.from - span / 2, view.until + span / 2);
    else if (event.key === "w" && wakes) wakes.classList.toggle("hidden");
    else if (event.key === "/" || event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f")) {
      event.preventDefault();
      pattern = null;
      ask();
    }
  });
  window.addEventListener("resize", draw);

  const asked = new URLSearchParams(window.location.hash.slice(1));
  if (Number(asked.get("until")) > Number(asked.get("from"))) view = {from: Number(asked.get("from")), until: Number(asked.get("until"))};
  if (asked.get("find")) find(asked.get("find"));
  show(view.from, view.until);
})();
)js";

}  // namespace peregrine
