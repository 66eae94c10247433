// The data of the page: the head, the overview, and the blocks of rows that are unpacked when they are needed.

const SLICE_KINDS = ["system call", "interrupt", "softirq", "interrupt vector", "I/O request"];
const CALL = 0, REQUEST = 4, RUNS = 62, WAITS = 82, BLOCKED = 68;  // letters of states: > R D
const MOST_ROWS = 4e6;  // unpacked at a time

// Rows sorted by lane: those of lane n are rows[first[n]] to rows[first[n + 1]], in their order. `keep`: a mask, or null.
function rowsByLane(lanes, count, keep) {
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < lanes.length; ++i) if (!keep || keep[i]) ++first[lanes[i] + 1];
  for (let i = 0; i < count; ++i) first[i + 1] += first[i];
  const next = first.slice(), rows = new Uint32Array(first[count]);
  for (let i = 0; i < lanes.length; ++i) if (!keep || keep[i]) rows[next[lanes[i]]++] = i;
  return { first, rows };
}

// The rows of one block. Indices by lane are made on first use.
class Rows {
  constructor(bytes, head) {
    const reader = new ColumnReader(bytes);
    const [events, states, slices, steps] = [reader.number(), reader.number(), reader.number(), reader.number()];
    const read = (type, count, delta) => reader.column(new type(count), delta);
    this.time = read(Float64Array, events, true);
    this.type = read(Uint16Array, events);
    this.cpu = read(Uint16Array, events);
    this.task = read(Uint32Array, events);
    this.stack = read(Uint32Array, events);
    this.cgroup = read(Uint32Array, events);
    this.states = this.slicesOf(reader, states, "task");
    this.states.cpu = read(Uint16Array, states);
    this.states.cause = read(Uint32Array, states);
    this.slices = this.slicesOf(reader, slices, "");
    this.slices.owner = read(Uint32Array, slices);
    this.slices.name = read(Uint32Array, slices);
    this.steps = { time: read(Float64Array, steps, true), kind: read(Uint8Array, steps), cpu: read(Uint16Array, steps), value: read(Float64Array, steps) };
    this.head = head;
    this.indices = new Map();
  }
  slicesOf(reader, count, owner) {
    const start = reader.column(new Float64Array(count), true), end = reader.column(new Float64Array(count), false);
    const made = { start, end };
    if (owner) made[owner] = reader.column(new Uint32Array(count), false);
    const kind = reader.column(new Uint8Array(count), false);
    made.open = new Uint8Array(count);
    for (let i = 0; i < count; ++i) {
      end[i] += start[i];
      made.open[i] = kind[i] & 1;
      kind[i] >>= 1;
    }
    made.kind = kind;
    return made;
  }

  index(key, make) {
    let known = this.indices.get(key);
    if (!known) this.indices.set(key, known = make());
    return known;
  }
  // Rows of slices by lane, with the sum of lengths before each row, for each class of rows.
  slicesByLane(key, table, lanes, count, keep, classOf) {
    return this.index(key, () => {
      const made = rowsByLane(lanes, count, keep), { rows } = made, { start, end } = table;
      made.table = table;
      made.sums = Array.from({ length: classOf ? 3 : 1 }, () => new Float64Array(rows.length + 1));
      for (let at = 0; at < rows.length; ++at) {
        const row = rows[at], own = classOf ? classOf(row) : 0;
        made.sums.forEach((sum, number) => { sum[at + 1] = sum[at] + (number === own ? end[row] - start[row] : 0); });
      }
      return made;
    });
  }
  runsByCpu() {
    const { states } = this;
    return this.slicesByLane("runs", states, states.cpu, this.head.mostCpu + 1, states.kind.map((kind) => (kind === RUNS ? 1 : 0)));
  }
  statesByTask() {
    const { states } = this, classes = { [RUNS]: 0, [WAITS]: 1, [BLOCKED]: 2 };
    return this.slicesByLane("states", states, states.task, this.head.taskCount, null, (row) => classes[states.kind[row]] ?? 3);
  }
  slicesByOwner(kind, count) {
    const { slices } = this;
    return this.slicesByLane("slices" + kind, slices, slices.owner, count, slices.kind.map((own) => (own === kind ? 1 : 0)));
  }
  eventsBy(what, count, shown, version) {
    const lanes = this[what];
    const keep = shown || what === "cgroup" ? this.index("keep" + version, () => Uint8Array.from(this.type, (type) => (shown ? shown[type] : 1))) : null;
    return this.index(what + version, () => rowsByLane(lanes, count, keep));
  }
  forgetEvents() {
    for (const key of this.indices.keys()) if (/^(keep|cpu|task|type|cgroup)\d/.test(key)) this.indices.delete(key);
  }
  // The first event at or after a time.
  eventAt(time) { return lowerBound(this.time, 0, this.time.length, time); }
}

function lowerBound(values, from, to, wanted) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

// The fields of a block's events: columns of one type are unpacked on first use.
class Fields {
  constructor(bytes, rows, types) {
    Object.assign(this, { types, known: new Map() });
    this.counts = new Uint32Array(types.length);
    this.place = new Uint32Array(rows.type.length);  // of an event among those of its type
    rows.type.forEach((type, at) => { this.place[at] = this.counts[type]++; });
    const reader = new ColumnReader(bytes);
    this.from = types.map((type, at) => {
      const begin = reader.at;
      if (this.counts[at] > 0) for (const column of type.columns) for (let half = column.kind >= 2 ? 2 : 1; half > 0; --half) reader.skipColumn();
      return begin;
    });
    this.bytes = bytes;
  }
  columns(type) {
    let made = this.known.get(type);
    if (made) return made;
    const reader = new ColumnReader(this.bytes), count = this.counts[type];
    reader.at = this.from[type];
    made = this.types[type].columns.map((column) => {
      const first = reader.column(new Float64Array(count), true);
      return column.kind >= 2 ? { upper: first, lower: reader.column(new Float64Array(count), true) } : { values: first };
    });
    this.known.set(type, made);
    return made;
  }
}

class Store {
  static async open() {
    const store = new Store();
    const head = store.head = jsonOf(await embeddedBytes("data"));
    head.types.forEach((type) => { type.columns = type.columns.map(([name, kind]) => ({ name, kind })); });
    head.taskCount = head.tasks.tid.length;
    head.mostCpu = Math.max(0, ...head.cpus);
    const { blocks } = head, first = addUpFar(blocks.first), last = addUpFar(blocks.last);
    store.blocks = blocks.kept.map((kept, at) => ({ at, first: first[at], last: last[at], events: blocks.events[at], size: blocks.rows[at], kept, rows: null, used: 0 }));
    store.overview = readOverview(await embeddedBytes("overview"));
    // Stacks may be many: they come after the first picture.
    store.profile = new Profile({ texts: [""], frames: { name: [0], dso: [0], kind: [0] }, stacks: { parent: [0], frame: [0] }, time: { length: 0, slots: 1 }, series: [] });
    return store;
  }
  constructor() {
    Object.assign(this, { clock: 0, unpacked: 0, loading: new Map(), fields: new Map(), changed: () => {} });
  }

  loadStacks() {
    return (this.stacks ||= whenParsed("stacks").then((bytes) => {
      if (bytes.length > 0) this.profile = new Profile({ ...jsonOf(bytes), series: [] });
    }));
  }
  // The indices of blocks that overlap a range of times.
  range(from, to) {
    const { blocks } = this;
    let low = 0, high = blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (blocks[middle].last < from) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < blocks.length && blocks[end].first <= to) ++end;
    return [low, end];
  }
  rowsIn([low, end]) {
    let sum = 0;
    for (let at = low; at < end; ++at) sum += this.blocks[at].size;
    return sum;
  }
  // The rows of a block if they are unpacked; otherwise they will be.
  want(at) {
    const block = this.blocks[at];
    block.used = ++this.clock;
    if (!block.rows && block.kept > 0 && this.loading.size < 3) this.load(at);
    return block.rows;
  }
  load(at) {
    const block = this.blocks[at];
    if (block.rows || block.kept === 0) return Promise.resolve(block.rows);
    if (!this.loading.has(at)) this.loading.set(at, this.unpack(block).finally(() => this.loading.delete(at)));
    return this.loading.get(at);
  }
  async unpack(block) {
    const bytes = await whenParsed("lanes" + block.at);
    block.rows = new Rows(bytes, this.head);
    block.used = ++this.clock;
    this.unpacked += block.size;
    while (this.unpacked > MOST_ROWS) this.forgetOldest(block);
    this.changed(block);
    return block.rows;
  }
  forgetOldest(except) {
    let oldest = null;
    for (const block of this.blocks) if (block.rows && block !== except && (!oldest || block.used < oldest.used)) oldest = block;
    if (!oldest) return this.unpacked = 0;
    oldest.rows = null;
    this.unpacked -= oldest.size;
  }
  // Of a block, or null if they were left out.
  async loadFields(at) {
    if (this.fields.has(at)) return this.fields.get(at);
    const block = this.blocks[at];
    if (block.kept < 2) return null;
    const rows = await this.load(at), bytes = await whenParsed("fields" + at);
    const made = new Fields(bytes, rows, this.head.types);
    if (this.fields.size > 7) this.fields.delete(this.fields.keys().next().value);
    this.fields.set(at, made);
    return made;
  }

  // "bash 77", or "bash 70/77" for a thread.
  taskName(task) {
    const { comm, pid, tid } = this.head.tasks;
    if (task === 0) return "idle";
    return `${comm[task] || "?"} ${pid[task] && pid[task] !== tid[task] ? pid[task] + "/" : ""}${tid[task]}`;
  }
  // Of one event: [name, text] for each field; null if they were left out.
  async fieldTexts(at, row) {
    const rows = await this.load(at), type = this.head.types[rows.type[row]];
    if (type.columns.length === 0) return [];
    const fields = await this.loadFields(at);
    if (!fields) return null;
    const place = fields.place[row];
    return fields.columns(rows.type[row]).map((column, number) => [type.columns[number].name, this.fieldText(type.columns[number].kind, column, place)]);
  }
  fieldText(kind, column, place) {
    if (kind === 1) return this.head.words[column.values[place]] ?? "";
    if (kind === 0) return String(column.values[place]);
    const value = BigInt(column.upper[place]) << 32n | BigInt(column.lower[place]);
    return kind === 3 ? String(BigInt.asIntN(64, value)) : kind === 4 ? "0x" + value.toString(16) : String(value);
  }
}

// Waits for an element that the browser has not parsed yet.
async function whenParsed(id) {
  for (;;) {
    const bytes = await embeddedBytes(id);
    if (bytes) return bytes;
    if (document.readyState !== "loading") return new Uint8Array(0);
    await new Promise((done) => setTimeout(done, 20));
  }
}

function addUpFar(steps) {
  let sum = 0;
  return Float64Array.from(steps, (step) => sum += step);
}

// By kind of sum, by owner: { first, sums }.
function readOverview(bytes) {
  const reader = new ColumnReader(bytes), kinds = ["runs", "runner", "interrupts", "taskRuns", "taskWaits", "taskBlocks", "events", "devices"], made = {};
  for (const kind of kinds) {
    const lanes = reader.number();
    made[kind] = Array.from({ length: lanes }, () => {
      const first = reader.number(), count = reader.number();
      return { first, sums: reader.column(new Float64Array(count), false) };
    });
  }
  return made;
}
