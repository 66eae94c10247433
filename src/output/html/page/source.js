// Files and source lines by cost, whatever function they belong to: the sums of the instructions in the code view.

const HOTTEST = "";  // instead of a file: the lines with the highest cost, of all files
const MOST_LINES = 200;

// "/usr/src/work.c:8" → ["/usr/src/work.c", 8].
function placeOf(text) {
  const colon = text.lastIndexOf(":");
  return [text.slice(0, colon), Number(text.slice(colon + 1))];
}

class SourceView {
  // `times`: the code view's LineTimes.
  constructor(profile, list, head, host, times) {
    Object.assign(this, { profile, list, head, host, times });
    this.files = new Map();  // by name: lines by number, { text, instructions: [[function, line]] }
    for (const [at, code] of profile.code.entries())
      for (const [number, line] of code.lines.entries()) if (line.place) this.add(at, number, line);
  }
  static fits(profile) { return profile.code.some((code) => code.lines.some((line) => line.place)); }

  add(code, number, line) {
    const [file, place] = placeOf(line.place);
    if (!this.files.has(file)) this.files.set(file, new Map());
    const lines = this.files.get(file), at = (wanted) => {
      if (!lines.has(wanted)) lines.set(wanted, { text: null, instructions: [] });
      return lines.get(wanted);
    };
    at(place).instructions.push([code, number]);
    for (const [shown, text] of line.source || []) if (shown > 0) at(shown).text = text;
  }

  // The rows { file, number, text, value } of all lines in order.
  rows(state) {
    const { profile, times } = this, field = state.measure === "samples" ? 0 : 1, rows = [];
    const sums = state.range && times.known ? times.sums(state.series, state.measure, state.range) : null;
    const valueOf = ([code, number]) => {
      if (sums) return sums[times.first[code] + number];
      const { hits } = profile.code[code].lines[number];
      return hits ? hits[state.series * 2 + field] : 0;
    };
    for (const [file, lines] of this.files)
      for (const [number, { text, instructions }] of lines)
        rows.push({ file, number, text, value: instructions.reduce((sum, one) => sum + valueOf(one), 0) });
    return rows.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.number - b.number));
  }

  // `whole`: of all threads in the range.
  show(state, whole, choose) {
    this.shown = this.rows(state);
    const sums = new Map();
    for (const { file, value } of this.shown) sums.set(file, (sums.get(file) || 0) + value);
    const files = Array.from(sums).filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const chosen = sums.has(state.file) ? state.file : HOTTEST, known = this.shown.reduce((sum, row) => sum + row.value, 0);
    const items = [{ label: "Hottest lines", value: percent(known, whole), file: HOTTEST }, ...files.map(([file, sum]) => ({ label: file, value: percent(sum, whole), file }))];
    showList(this.list, items.map((item) => ({ ...item, color: "transparent", chosen: item.file === chosen })), (at) => choose(items[at].file));
    const remarks = [`${percent(known, whole)} of ${state.range ? "the time range" : "total"} has source lines on this page`];
    if (state.threads.length > 0) remarks.push("lines: all threads");
    if (state.range && !this.times.known) remarks.push("lines: whole recording");
    this.head.replaceChildren(element("b", { textContent: chosen || "Hottest lines" }), element("span", { className: "grow", textContent: remarks.join(" · ") }));
    const box = element("div", { className: "code" });
    const lines = chosen === HOTTEST ? this.hottest() : this.shown.filter((row) => row.file === chosen);
    const most = lines.reduce((max, row) => Math.max(max, row.value), 1e-9);
    let last = 0, hot = null;
    for (const row of lines) {
      if (chosen !== HOTTEST && last !== 0 && row.number > last + 1) box.append(element("div", { className: "gap", textContent: "…" }));
      last = row.number;
      const made = this.line(row, whole, most, chosen === HOTTEST, choose);
      if (row.value === most) hot = made;
      box.append(made);
    }
    this.host.replaceChildren(box);
    if (hot && chosen !== HOTTEST) hot.scrollIntoView({ block: "center" });
  }
  hottest() { return this.shown.filter((row) => row.value > 0).sort((a, b) => b.value - a.value || (a.file < b.file ? -1 : a.number - b.number)).slice(0, MOST_LINES); }

  line({ file, number, text, value }, whole, most, places, choose) {
    const heat = element("span", { className: "heat" }), place = `${file.slice(file.lastIndexOf("/") + 1)}:${number}`;
    heat.style.setProperty("--share", (value / most * 100).toFixed(1) + "%");
    const made = element("div", { className: value >= whole * 0.05 ? "hot" : "", title: `${file}:${number}` },
      element("span", { className: "hits", textContent: value > 0 ? (value / Math.max(whole, 1e-9) * 100).toFixed(2) : "" }), heat,
      element("span", { className: places ? "place" : "line", textContent: places ? place : number }),
      text === null ? element("span", { className: "dim", textContent: "(source file not found)" }) : element("span", { className: "source", textContent: text }));
    if (places) {
      made.classList.add("leads");
      made.onclick = () => choose(file);
    }
    return made;
  }
  csvRows(unit) { return [["File", "Line", `Self (${unit})`, "Source"], ...this.hottest().map((row) => [row.file, row.number, row.value, row.text || ""])]; }
}
