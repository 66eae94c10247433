// The table of functions, and the list of functions next to a view.

const COLUMNS = {
  own: { title: "Self", hint: "in the function itself, without its callees", value: (row) => row.own },
  inclusive: { title: "Total", hint: "in the function and its callees", value: (row) => row.inclusive },
  change: { title: "Change", hint: "change of self, in percentage points of the total", value: (row) => Math.abs(row.change), compared: true },
  name: { title: "Function" },
  dso: { title: "Binary" },
};
const MOST_ROWS = 400;

// One row for each function with a nonzero total; when comparing, in either recording.
function functionRows(profile, self, before) {
  const now = profile.functionsOf(self), then = profile.compared ? profile.functionsOf(before) : null;
  const whole = Math.max(self.reduce((sum, own) => sum + own, 0), 1e-9);
  const wholeBefore = profile.wholeBefore(whole, before.reduce((sum, own) => sum + own, 0));
  const rows = [];
  for (let frame = 1; frame < profile.frameNames.length; ++frame) {
    if (profile.frameKinds[frame] < 2) continue;
    const row = { frame, own: now.own[frame], inclusive: now.inclusive[frame], name: profile.frameNames[frame], dso: profile.frameDsos[frame] };
    if (then) row.change = row.own / whole - then.own[frame] / wholeBefore;
    if (row.inclusive > 0 || (then && then.inclusive[frame] > 0)) rows.push(row);
  }
  return { rows, whole };
}

function sortRows(rows, key) {
  const column = COLUMNS[key] || COLUMNS.own;
  const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.frame - b.frame);
  if (column.value) return rows.sort((a, b) => column.value(b) - column.value(a) || byName(a, b));
  return rows.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : byName(a, b)));
}

class FunctionTable {
  // on: { sort(key), pick(frame), hover(frame) }
  constructor(profile, host, on) {
    Object.assign(this, { profile, host, on, limit: MOST_ROWS });
  }

  show({ rows, whole }, state, marked, unit) {
    const { profile } = this;
    const wanted = marked ? rows.filter((row) => marked[row.frame]) : rows;
    sortRows(wanted, state.sort);
    const keys = Object.keys(COLUMNS).filter((key) => !COLUMNS[key].compared || profile.compared);
    const head = element("tr", {}, ...keys.map((key) => this.title(key, state)));
    const body = element("tbody");
    for (const row of wanted.slice(0, this.limit)) body.append(this.row(row, whole, keys, state, unit));
    this.host.replaceChildren(element("table", {}, element("thead", {}, head), body));
    if (wanted.length > this.limit) {
      const more = element("button", { textContent: `Show more (${grouped(wanted.length - this.limit)} functions left)` });
      more.onclick = () => { this.limit *= 4; this.show({ rows, whole }, state, marked, unit); };
      this.host.append(more);
    }
    if (wanted.length === 0) this.host.append(element("p", { textContent: marked ? "No function matches the search." : "No samples in this range." }));
  }
  title(key, state) {
    const column = COLUMNS[key], mine = state.sort === key;
    const cell = element("th", { textContent: column.title + (mine ? (column.value ? " ▾" : " ▴") : ""), title: column.hint || "", tabIndex: 0 });
    cell.className = column.value ? "number" : "";
    cell.setAttribute("aria-sort", mine ? (column.value ? "descending" : "ascending") : "none");
    cell.onclick = () => this.on.sort(key);
    cell.onkeydown = (event) => { if (event.key === "Enter") this.on.sort(key); };
    return cell;
  }
  row(row, whole, keys, state, unit) {
    const line = element("tr", { className: row.frame === state.frame ? "chosen" : "" });
    for (const key of keys) {
      const cell = element("td");
      if (key === "name") {
        cell.className = "name";
        cell.append(swatch(this.profile.colors[row.frame]), row.name);
        cell.title = row.name;
      } else if (key === "dso") {
        cell.className = "dso";
        cell.textContent = cell.title = row.dso;
      } else if (key === "change") {
        cell.className = "number";
        cell.textContent = (row.change >= 0 ? "+" : "−") + Math.abs(row.change * 100).toFixed(2);
        if (Math.abs(row.change) >= 0.0005) cell.style.color = row.change > 0 ? cssColor("--hot") : cssColor("--accent");
      } else {
        cell.className = "number share";
        cell.textContent = percent(row[key], whole);
        cell.title = amount(row[key], unit);
        cell.style.setProperty("--share", (row[key] / whole * 100).toFixed(2) + "%");
      }
      line.append(cell);
    }
    line.onclick = () => this.on.pick(row.frame);
    return line;
  }
}

// A list next to a view: items of { label, value, color, chosen, match }; a click calls choose(index).
function showList(host, items, choose) {
  const made = items.map((item, at) => {
    const line = element("div", { className: "item", title: item.label, tabIndex: 0 }, element("span", { className: "value", textContent: item.value }),
      element("span", { className: "label" }, swatch(item.color), item.label));
    line.classList.toggle("chosen", Boolean(item.chosen));
    line.classList.toggle("match", Boolean(item.match));
    line.onclick = () => choose(at);
    line.onkeydown = (event) => { if (event.key === "Enter") choose(at); };
    return line;
  });
  const top = host.scrollTop;
  host.replaceChildren(...made);
  host.scrollTop = top;
}
