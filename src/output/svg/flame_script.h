// The style sheet and script of a flame graph. The script uses only the shapes: positions and shares come from the
// boxes, names and counts from their titles.
#pragma once
#include <string_view>

namespace peregrine {

inline constexpr std::string_view kFlameStyle = R"css(
svg { font-family: Verdana, "DejaVu Sans", Helvetica, sans-serif; font-size: 11px; }
.back { fill: #fafafa; }
text { fill: #111; }
#title { font-size: 16px; font-weight: bold; text-anchor: middle; }
#subtitle { fill: #555; text-anchor: middle; }
#search, #matched, .right { text-anchor: end; }
.button { fill: #0b5cad; cursor: pointer; }
.button:hover { text-decoration: underline; }
#reset { visibility: hidden; }
#boxes g { cursor: pointer; }
#boxes text { fill: #111; pointer-events: none; font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; }
#boxes rect { stroke: #fafafa; stroke-width: 0.4; }
#boxes g:hover rect { stroke: #000; stroke-width: 1; }
#boxes g.parent { opacity: 0.55; }
#boxes g.hidden { display: none; }
#boxes g.match rect { fill: #b5179e; }
#boxes g.match text { fill: #fff; }
@media (prefers-color-scheme: dark) {
  .back { fill: #16181d; }
  text { fill: #ddd; }
  #subtitle { fill: #aaa; }
  .button { fill: #7ab8ff; }
  #boxes rect { stroke: #16181d; }
  #boxes g:hover rect { stroke: #fff; }
}
)css";

inline constexpr std::string_view kFlameScript = R"js(
"use strict";
(function () {
  const page = document.getElementById("page");
  const byId = (id) => document.getElementById(id);
  const rowHeight = Number(page.dataset.row);
  const boxes = Array.from(byId("boxes").children, (g) => {
    const rect = g.querySelector("rect"), full = g.querySelector("title").textContent;
    return {
      g, rect, label: g.querySelector("text"), full, name: full.replace(/ \([^()]*\)$/, ""),
      x: parseFloat(rect.getAttribute("x")), width: parseFloat(rect.getAttribute("width")),
      y: Number(rect.getAttribute("y")),
    };
  });
  const slack = 0.0002, down = page.dataset.down === "1";
  let view = boxes[0], pattern = null;

  page.setAttribute("width", "100%");

  // Truncates a line of text that is wider than `room` pixels.
  function fitLine(text, full, room) {
    text.textContent = full;
    for (let end = full.length - 1; end > 0 && text.getComputedTextLength() > room; --end)
      text.textContent = full.slice(0, end) + "…";
  }
  const title = byId("title"), subtitle = byId("subtitle");
  const fullTitle = title.textContent, fullSubtitle = subtitle.textContent;
  function fitHead() {
    const width = page.getBoundingClientRect().width, matched = byId("matched");
    const side = pattern === null ? 10 : matched.getComputedTextLength() + 20;
    fitLine(title, fullTitle, width - 2 * 95);
    fitLine(subtitle, fullSubtitle, width - 2 * side);
  }

  // Wraps the legend into rows that fit, and makes the picture as much taller.
  const height = Number(page.getAttribute("height")), legend = Array.from(byId("legend").children);
  function wrapLegend() {
    const right = page.getBoundingClientRect().width - 10, parts = [];
    for (const part of legend) {
      if (part.tagName === "rect") parts.push([part]);
      else if (parts.length > 0 && parts[parts.length - 1].length === 1) parts[parts.length - 1].push(part);
      else parts.push([null, part]);
    }
    let x = 10, row = 0;
    for (const [swatch, text] of parts) {
      const wide = text.getComputedTextLength() + (swatch ? 16 : 0), base = () => height - 12 + row * 16;
      if (x > 10 && x + wide > right) [x, row] = [10, row + 1];
      if (swatch) {
        swatch.setAttribute("x", x);
        swatch.setAttribute("y", base() - 10);
      }
      if (!text.classList.contains("right")) text.setAttribute("x", x + (swatch ? 16 : 0));
      text.setAttribute("y", base());
      x += wide + 20;
    }
    for (const tall of [page, page.querySelector(".back")]) tall.setAttribute("height", height + row * 16);
  }

  function fit(box, width) {
    const room = (width / 100 * page.getBoundingClientRect().width - 6) / 6.65;
    let text = "";
    if (room >= 3) text = box.name.length <= room ? box.name : box.name.slice(0, Math.floor(room) - 2) + "..";
    if (box.label.textContent !== text) box.label.textContent = text;
  }

  // Shows `view` at full width: its callees are widened, its callers stay as a dimmed floor.
  function draw() {
    const scale = 100 / view.width;
    for (const box of boxes) {
      const level = down ? view.y - box.y : box.y - view.y;  // > 0: nearer to the floor
      const below = level <= 0 && box.x >= view.x - slack && box.x + box.width <= view.x + view.width + slack;
      const floor = level > 0 && box.x <= view.x + slack && box.x + box.width >= view.x + view.width - slack;
      box.g.classList.toggle("hidden", !below && !floor);
      box.g.classList.toggle("parent", floor);
      if (!below && !floor) continue;
      const x = floor ? 0 : (box.x - view.x) * scale, width = floor ? 100 : box.width * scale;
      box.rect.setAttribute("x", x + "%");
      box.rect.setAttribute("width", width + "%");
      box.label.setAttribute("x", x + "%");
      fit(box, width);
    }
    byId("reset").style.visibility = view === boxes[0] ? "hidden" : "visible";
  }

  function find() {
    const spans = [];
    for (const box of boxes) {
      const hit = pattern !== null && box !== boxes[0] && pattern.test(box.name);
      box.g.classList.toggle("match", hit);
      if (hit) spans.push([box.x, box.x + box.width]);
    }
    // Boxes stacked on one another count once.
    spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    let sum = 0, end = -1;
    for (const [from, to] of spans) {
      if (to > end) sum += to - Math.max(from, end);
      end = Math.max(end, to);
    }
    byId("matched").textContent = pattern === null ? " " : "Matched: " + sum.toFixed(2) + "%";
    byId("search").textContent = pattern === null ? "Search" : "Reset search";
    fitHead();
  }

  function ask() {
    if (pattern !== null) {
      pattern = null;
    } else {
      const words = window.prompt("Functions to mark (regular expression):", "");
      if (!words) return;
      try {
        pattern = new RegExp(words, "i");
      } catch (error) {
        pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
      }
    }
    keep();
    find();
  }

  // The address contains the view, so that links reproduce it.
  function keep() {
    const parts = [];
    if (view !== boxes[0]) parts.push("box=" + boxes.indexOf(view));
    if (pattern !== null) parts.push("find=" + encodeURIComponent(pattern.source));
    try {
      window.history.replaceState(null, "", "#" + parts.join("&"));
    } catch (error) {}
  }
  function restore() {
    for (const part of window.location.hash.slice(1).split("&")) {
      const [key, value] = part.split("=");
      try {
        if (key === "box" && boxes[Number(value)]) view = boxes[Number(value)];
        if (key === "find") pattern = new RegExp(decodeURIComponent(value), "i");
      } catch (error) {}
    }
  }

  function zoom(box) {
    view = box;
    keep();
    draw();
  }

  const boxOf = new Map(boxes.map((box) => [box.g, box]));
  const under = (event) => {
    const g = event.target.closest ? event.target.closest("#boxes > g") : null;
    return g ? boxOf.get(g) : null;
  };
  byId("boxes").addEventListener("click", (event) => {
    const box = under(event);
    if (box) zoom(box === view ? boxes[0] : box);
  });
  byId("boxes").addEventListener("mouseover", (event) => {
    const box = under(event);
    if (box) byId("details").textContent = box.full;
  });
  byId("boxes").addEventListener("mouseout", () => { byId("details").textContent = " "; });
  byId("reset").addEventListener("click", () => zoom(boxes[0]));
  byId("search").addEventListener("click", ask);
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape") zoom(boxes[0]);
    else if (event.key === "/" || event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f")) {
      event.preventDefault();
      if (pattern !== null) pattern = null;
      ask();
    }
  });
  function layOut() {
    draw();
    fitHead();
    wrapLegend();
  }
  window.addEventListener("resize", layOut);
  restore();
  layOut();
  find();
  if (!down) window.scrollTo(0, document.documentElement.scrollHeight || page.getBoundingClientRect().height);
})();
)js";

}  // namespace peregrine
