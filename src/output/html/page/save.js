// Saves what the page shows: stacks as folded lines, the flame graph as SVG, the table as CSV.

const SAVED = [["folded", "Stacks (folded)"], ["svg", "Flame graph (SVG)"], ["csv", "Table (CSV)"]];

// Stacks with their self values, outermost frame first, as flamegraph.pl and speedscope read them.
function foldedText(profile, self) {
  const lines = [], names = profile.frameNames.map((name) => name.replace(/;/g, ":"));
  for (let stack = 1; stack < self.length; ++stack) {
    if (self[stack] <= 0) continue;
    const path = [];
    for (let at = stack; at !== 0; at = profile.parents[at]) path.push(names[profile.stackFrames[at]]);
    lines.push(`${path.reverse().join(";")} ${Math.round(self[stack])}\n`);
  }
  return lines.join("");
}

// Quoted if necessary. Spreadsheets take text that begins with such a character for a formula.
function csvCell(value) {
  if (typeof value === "number") return String(value);
  const text = /^[\s"']*[=+\-@]/.test(value) ? "'" + value : value;
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\n").join("");

// Pages contain no address of a network, and this is only a name.
const SVG_NAMES = "http:" + "//www.w3.org/2000/svg";
const xmlText = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// The boxes of a flame graph as they are on the screen, with their values as titles.
function svgText(view, title, describe) {
  const height = view.levels() * ROW + 26, parts = [];
  for (const row of view.rows) {
    for (const [left, end, node] of row || []) {
      const y = view.y(view.tree.depth[node]) + 26, wide = Math.max(end - left - 0.6, 0.4);
      const name = node === 0 ? "all" : view.profile.frameNames[view.tree.frames[node]], room = Math.floor((wide - 8) / 7);
      const label = room < 3 ? "" : `<text x="${(left + 4).toFixed(1)}" y="${y + 13}">${xmlText(name.length <= room ? name : name.slice(0, room - 1) + "…")}</text>`;
      parts.push(`<g><title>${xmlText(describe(node))}</title><rect x="${left.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${ROW - 1}" fill="${view.colorOf(node)}"/>${label}</g>\n`);
    }
  }
  return `<svg xmlns="${SVG_NAMES}" viewBox="0 0 ${view.width} ${height}" font-family="monospace" font-size="11.5">\n` +
    `<rect width="100%" height="100%" fill="#fff"/>\n<text x="4" y="17" font-size="14">${xmlText(title)}</text>\n${parts.join("")}</svg>\n`;
}

// The table of the current view: source lines, otherwise functions that match the search.
Page.prototype.csvRows = function () {
  const { state, profile, marked } = this, unit = this.unit();
  if (state.view === "source") return this.source.csvRows(unit);
  const { rows, whole } = this.rows(), keys = Object.keys(COLUMNS).filter((key) => !COLUMNS[key].compared || profile.compared);
  const wanted = sortRows(marked ? rows.filter((row) => marked[row.frame]) : rows.slice(), state.sort), share = (value) => Number((value / whole * 100).toFixed(2));
  const cells = { own: (row) => [row.own, share(row.own)], inclusive: (row) => [row.inclusive, share(row.inclusive)], change: (row) => [Number((row.change * 100).toFixed(2))] };
  const heads = { own: [`Self (${unit})`, "Self %"], inclusive: [`Total (${unit})`, "Total %"], change: ["Change (points)"] };
  return [keys.flatMap((key) => heads[key] || [COLUMNS[key].title]), ...wanted.map((row) => keys.flatMap((key) => (cells[key] ? cells[key](row) : [row[key]])))];
};

// What would be saved: { name, type, text }.
Page.prototype.saved = function (kind) {
  const { profile } = this;
  if (kind === "folded") return { name: "stacks.folded", type: "text/plain", text: foldedText(profile, this.self) };
  if (kind === "csv") return { name: this.state.view === "source" ? "source.csv" : "functions.csv", type: "text/csv", text: csvText(this.csvRows()) };
  if (this.state.view !== "flame") this.set({ view: "flame" }, true);
  const describe = (node) => `${node === 0 ? "all" : profile.frameNames[this.tree.frames[node]]} (${amount(this.tree.total[node], this.unit())}, ${percent(this.tree.total[node], this.whole)})`;
  return { name: "flame.svg", type: "image/svg+xml", text: svgText(this.flame, `${profile.title}: ${this.summary()}`, describe) };
};
Page.prototype.save = function (kind) {
  const { name, type, text } = this.saved(kind), address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};
