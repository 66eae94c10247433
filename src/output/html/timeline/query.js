// Search: terms that an event must match. `text` in its name, its task or one of its texts; `field=value`,
// `field!=value`, `field<value`, `field>value` and `field~text` in one field. Words with spaces in quotes.

const TERM = /^([\w.[\]]+)(!=|<=|>=|=|<|>|~)(.*)$/;

function parseQuery(text) {
  const words = text.match(/(?:"[^"]*"|[^\s"])+/g) || [];
  return words.map((word) => {
    const clean = word.replace(/"/g, ""), found = TERM.exec(clean);
    return found ? { field: found[1], operator: found[2], value: found[3] } : { text: clean.toLowerCase() };
  });
}

function compares(text, operator, value) {
  if (operator === "~") return text.toLowerCase().includes(value.toLowerCase());
  const [own, wanted] = [Number(text), Number(value)], numbers = text !== "" && value !== "" && !Number.isNaN(own) && !Number.isNaN(wanted);
  if (operator === "=") return numbers ? own === wanted : text === value;
  if (operator === "!=") return numbers ? own !== wanted : text !== value;
  if (!numbers) return false;
  return operator === "<" ? own < wanted : operator === ">" ? own > wanted : operator === "<=" ? own <= wanted : own >= wanted;
}

// Finds events of one query. Types and tasks that cannot match are excluded before any field is unpacked.
class Query {
  constructor(store, text) {
    this.store = store;
    this.terms = parseQuery(text);
    const { head } = store;
    for (const term of this.terms) {
      if (term.text === undefined) continue;
      term.tasks = Uint8Array.from(head.tasks.comm, (comm, task) => (store.taskName(task).toLowerCase().includes(term.text) ? 1 : 0));
      term.types = Uint8Array.from(head.types, (type) => (type.name.toLowerCase().includes(term.text) ? 1 : 0));
      term.words = Uint8Array.from(head.words, (word) => (word.toLowerCase().includes(term.text) ? 1 : 0));
      term.anyWord = term.words.includes(1);
    }
  }
  // Whether the term holds: true, false, or null if the fields decide.
  early(term, rows, at) {
    const { head } = this.store, type = rows.type[at], task = rows.task[at];
    if (term.text !== undefined) {
      if (term.tasks[task] || term.types[type]) return true;
      return term.anyWord && head.types[type].columns.some((column) => column.kind === 1) ? null : false;
    }
    const { tasks } = head;
    const known = { event: () => head.types[type].name, comm: () => tasks.comm[task], tid: () => String(tasks.tid[task]), pid: () => String(tasks.pid[task]), cpu: () => String(rows.cpu[at]) }[term.field];
    const named = head.types[type].columns.findIndex((column) => column.name === term.field);
    if (known && !(named >= 0 && term.field !== "event" && term.field !== "cpu")) {
      const text = known();
      return compares(text, term.operator, term.value) || (term.field === "event" && compares(text.split(":").pop(), term.operator, term.value));
    }
    return named < 0 ? false : null;
  }
  late(term, rows, fields, at) {
    const { types } = this.store.head, { columns } = types[rows.type[at]], values = fields.columns(rows.type[at]), place = fields.place[at];
    if (term.text !== undefined) return columns.some((column, number) => column.kind === 1 && term.words[values[number].values[place]]);
    const number = columns.findIndex((column) => column.name === term.field);
    return compares(this.store.fieldText(columns[number].kind, values[number], place), term.operator, term.value);
  }

  // The next match from an event of a block on, forwards or backwards: { block, row }, or null. `shown`: a mask of types
  // or null. `going`: whether to continue; called with the share that was searched.
  async next(from, step, shown, going) {
    const { store } = this;
    let row = from.row;
    for (let block = from.block, seen = 0; block >= 0 && block < store.blocks.length; block += step, ++seen) {
      const rows = await store.load(block);
      if (!going(seen / store.blocks.length)) return null;
      if (rows) {
        const found = await this.inBlock(block, rows, row, step, shown);
        if (found >= 0) return { block, row: found };
      }
      row = step > 0 ? 0 : Infinity;
    }
    return null;
  }
  async inBlock(block, rows, row, step, shown) {
    let fields;
    for (let at = Math.max(0, Math.min(row, rows.time.length - 1)); at >= 0 && at < rows.time.length && (step > 0 || row >= 0); at += step) {
      if (row >= rows.time.length && step > 0) return -1;
      if (shown && !shown[rows.type[at]]) continue;
      const open = [];
      let holds = true;
      for (const term of this.terms) {
        const early = this.early(term, rows, at);
        if (early === false) { holds = false; break; }
        if (early === null) open.push(term);
      }
      if (!holds) continue;
      if (open.length > 0) {
        if (fields === undefined) fields = await this.store.loadFields(block);
        if (!fields || !open.every((term) => this.late(term, rows, fields, at))) continue;
      }
      return at;
    }
    return -1;
  }
}
