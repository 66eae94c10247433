// The profile, unpacked from the page, and the sums that the views show.

// The bytes of an embedded element, or null while the browser has not parsed it yet.
async function embeddedBytes(id) {
  const host = byId(id);
  if (!host) return null;
  const text = host.textContent;
  let packed;
  if (Uint8Array.fromBase64) {
    packed = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    packed = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) packed[i] = raw.charCodeAt(i);
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
const jsonOf = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

async function unpackProfile() { return new Profile(jsonOf(await embeddedBytes("data"))); }

// Converts differences to values.
function addUp(steps) {
  const values = new Int32Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; ++i) values[i] = sum += steps[i];
  return values;
}

class Profile {
  constructor(data) {
    Object.assign(this, data);
    this.frameNames = data.frames.name.map((at) => data.texts[at]);
    this.frameDsos = data.frames.dso.map((at) => data.texts[at]);
    this.frameKinds = data.frames.kind;
    this.parents = addUp(data.stacks.parent);
    this.stackFrames = Int32Array.from(data.stacks.frame);
    this.series = data.series.map((series) => ({
      ...series,
      stack: addUp(series.stack),
      slot: Int32Array.from(series.slot),
      samples: Float64Array.from(series.samples),
      period: Float64Array.from(series.period || series.samples, (value) => value * (series.period ? 1 : series.each)),
      lane: series.lane ? Int32Array.from(series.lane) : null,
    }));
    this.colors = this.frameNames.map((name, frame) => kindColor(this.frameKinds[frame], name));
    const byName = Array.from(this.frameNames.keys()).sort((a, b) =>
      this.frameNames[a] < this.frameNames[b] ? -1 : this.frameNames[a] > this.frameNames[b] ? 1 : a - b);
    this.frameRanks = new Int32Array(byName.length);
    byName.forEach((frame, rank) => { this.frameRanks[frame] = rank; });
    this.timed = data.time.length > 0 && data.time.slots > 1;
    for (const one of this.series) {
      one.waits = one.name.startsWith("offcpu-time");
      // Waits of record --off-cpu that BPF summed by stack: all samples are written when the recording ends.
      one.summed = this.timed && one.waits && one.slot.every((at) => at === this.time.slots - 1);
    }
    this.threaded = Boolean(this.lanes) && this.series.every((one) => one.lane);
  }

  // Marks chosen lanes; null: all threads.
  laneSet(chosen) {
    if (chosen.length === 0) return null;
    const set = new Uint8Array(this.lanes.rows.length);
    for (const lane of chosen) set[lane] = 1;
    return set;
  }

  unitOf(series, measure) { return measure === "samples" ? "samples" : this.series[series].unit; }

  // The self value of each stack, in slots [range[0], range[1]) or at all times, of marked lanes or of all threads.
  selfOf(series, measure, range, lanes) {
    const { stack, slot, lane, [measure]: values } = this.series[series];
    const sums = new Float64Array(this.parents.length);
    for (let i = 0; i < stack.length; ++i)
      if ((!range || (slot[i] >= range[0] && slot[i] < range[1])) && (!lanes || lanes[lane[i]])) sums[stack[i]] += values[i];
    return sums;
  }

  // The total that percentages of the base recording refer to.
  wholeBefore(whole, before) { return Math.max(this.as_counted ? whole : before, 1e-9); }

  // The sum of each slot; if `wanted` is given, only of stacks with wanted[stack], and of marked lanes. Summed waits are in no slot.
  slotsOf(series, measure, wanted, lanes) {
    const { stack, slot, lane, summed, [measure]: values } = this.series[series];
    const sums = new Float64Array(this.time.slots);
    if (summed) return sums;
    for (let i = 0; i < stack.length; ++i)
      if ((!wanted || wanted[stack[i]]) && (!lanes || lanes[lane[i]])) sums[slot[i]] += values[i];
    return sums;
  }

  // Self plus callees, by stack.
  totalsOf(self) {
    const sums = Float64Array.from(self);
    for (let at = sums.length - 1; at > 0; --at) sums[this.parents[at]] += sums[at];
    return sums;
  }

  // Marks the stacks that contain a frame with marked[frame].
  stacksWith(marked) {
    const found = new Uint8Array(this.parents.length);
    for (let at = 1; at < found.length; ++at) found[at] = marked[this.stackFrames[at]] || found[this.parents[at]] ? 1 : 0;
    return found;
  }

  // Self and inclusive sums of frames; a frame that occurs twice in a stack counts once.
  functionsOf(self) {
    const count = this.frameNames.length;
    const own = new Float64Array(count), inclusive = new Float64Array(count);
    const totals = this.totalsOf(self);
    const below = new Map();  // by frame: how often the current stack contains it
    const path = [];
    for (let at = 1; at < totals.length; ++at) own[this.stackFrames[at]] += self[at];
    const children = childLists(this.parents);
    const walk = [[0, false]];
    while (walk.length > 0) {
      const [at, done] = walk.pop();
      const frame = this.stackFrames[at];
      if (done) {
        below.set(frame, below.get(frame) - 1);
        continue;
      }
      if (at !== 0) {
        const seen = below.get(frame) || 0;
        if (seen === 0) inclusive[frame] += totals[at];
        below.set(frame, seen + 1);
        walk.push([at, true]);
      }
      for (let i = children.first[at]; i < children.first[at + 1]; ++i)
        if (totals[children.order[i]] > 0) walk.push([children.order[i], false]);
    }
    return { own, inclusive };
  }
}

// The children of node n are order[first[n]] to order[first[n + 1]], in ascending order.
function childLists(parents) {
  const first = new Int32Array(parents.length + 1), order = new Int32Array(Math.max(parents.length - 1, 0));
  for (let at = 1; at < parents.length; ++at) ++first[parents[at] + 1];
  for (let at = 0; at < parents.length; ++at) first[at + 1] += first[at];
  const next = Int32Array.from(first);
  for (let at = 1; at < parents.length; ++at) order[next[parents[at]]++] = at;
  return { first, order };
}
