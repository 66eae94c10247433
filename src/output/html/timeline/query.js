// Search: terms that an event must match. `text` in its name, its task or one of its texts; `field=value`,
// `field!=value`, `field<value`, `field>value` and `field~text` in one field. Words with spaces in quotes. The same as
// EventQuery; tests/fixtures/event_query.txt is tested with both.

const TERM = /^([\w.[\]]+)(!=|<=|>=|=|<|>|~)(.*)$/;

function parseQuery(text) {
  const words = text.match(/(?:"[^"]*"|[^\s"])+/g) || [];
  return words.map((word) => {
    const clean = word.replace(/"/g, ""), found = TERM.exec(clean);
    return found ? { field: found[1], operator: found[2], value: found[3] } : { text: clean.toLowerCase() };
  });
}

// A BigInt if it is whole and fits 64 bits, a Number, or null.
function numberOf(text) {
  const whole = /^(-?)(\d+|0[xX][\da-fA-F]+)$/.exec(text);
  if (whole) {
    const size = BigInt(whole[2]);
    if (size < 1n << 64n) return whole[1] ? -size : size;
    if (/[xX]/.test(text)) return null;
  }
  return /^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

function compares(text, operator, value) {
  if (operator === "~") return text.toLowerCase().includes(value.toLowerCase());
  let [own, wanted] = [numberOf(text), numberOf(value)];
  const numbers = own !== null && wanted !== null;
  if (numbers && typeof own !== typeof wanted) [own, wanted] = [Number(own), Number(wanted)];
  if (operator === "=") return numbers ? own === wanted : text === value;
  if (operator === "!=") return numbers ? own !== wanted : text !== value;
  if (!numbers) return false;
  return operator === "<" ? own < wanted : operator === ">" ? own > wanted : operator === "<=" ? own <= wanted : own >= wanted;
}

// An event has two names, with and without its system: = holds if either name matches, != if neither does.
function comparesEvent(name, operator, value) {
  const names = [name, name.slice(name.indexOf(":") + 1)], holds = (own) => compares(own, operator, value);
  return operator === "!=" ? names.every(holds) : names.some(holds);
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
      return (term.field === "event" ? comparesEvent : compares)(known(), term.operator, term.value);
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
