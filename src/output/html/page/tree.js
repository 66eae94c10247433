// Trees of boxes: stacks from the bottom up, from the sampled function to its callers, and around one function.

class BoxTree {
  constructor() {
    this.parents = [0];
    this.frames = [0];
    this.self = [0];
    this.before = [0];
    this.known = new Map();
  }
  child(parent, frame) {
    const key = parent * 4194304 + frame;
    let id = this.known.get(key);
    if (id === undefined) this.known.set(key, id = this.addBox(parent, frame));
    return id;
  }
  addBox(parent, frame) {
    this.parents.push(parent);
    this.frames.push(frame);
    this.self.push(0);
    this.before.push(0);
    return this.parents.length - 1;
  }
  add(node, value, before) {
    this.self[node] += value;
    this.before[node] += before;
  }

  // Computes sums, depths and positions: node n covers [left[n], left[n] + extent[n]). Children are sorted by name; without
  // `profile` they keep their order.
  finish(profile) {
    this.known = null;
    const count = this.parents.length;
    this.total = Float64Array.from(this.self);
    this.totalBefore = Float64Array.from(this.before);
    this.depth = new Int32Array(count);
    this.left = new Float64Array(count);
    for (let at = count - 1; at > 0; --at) {
      this.total[this.parents[at]] += this.total[at];
      this.totalBefore[this.parents[at]] += this.totalBefore[at];
    }
    const lists = childLists(this.parents);
    this.first = lists.first;
    this.order = lists.order;
    this.levels = 1;
    for (let at = 0; at < count; ++at) {
      const children = this.order.subarray(this.first[at], this.first[at + 1]);
      if (children.length > 1 && profile)
        children.set(Array.from(children).sort((a, b) => profile.frameRanks[this.frames[a]] - profile.frameRanks[this.frames[b]]));
      let left = this.left[at];
      for (const child of children) {
        this.left[child] = left;
        left += this.total[child];
        this.depth[child] = this.depth[at] + 1;
        if (this.total[child] > 0) this.levels = Math.max(this.levels, this.depth[child] + 1);
      }
    }
    this.extent = this.total;
    return this;
  }

  path(node) {
    const frames = [];
    for (let at = node; at !== 0; at = this.parents[at]) frames.push(this.frames[at]);
    return frames.reverse();
  }
  // The node of the longest existing prefix of a path of frames.
  find(path) {
    let node = 0;
    for (const frame of path) {
      let next = -1;
      for (let i = this.first[node]; i < this.first[node + 1]; ++i)
        if (this.frames[this.order[i]] === frame && this.total[this.order[i]] > 0) next = this.order[i];
      if (next < 0) break;
      node = next;
    }
    return node;
  }
}

// From the bottom of stacks up. `self` and `before` are indexed by stack.
function stackTree(profile, self, before) {
  const tree = new BoxTree();
  const node = new Int32Array(self.length), totals = profile.totalsOf(self), totalsBefore = profile.totalsOf(before);
  for (let at = 1; at < self.length; ++at) {
    if (totals[at] <= 0 && totalsBefore[at] <= 0) continue;
    node[at] = tree.child(node[profile.parents[at]], profile.stackFrames[at]);
    tree.add(node[at], self[at], before[at]);
  }
  return tree.finish(profile);
}

// From the sampled function to its callers.
function reversedTree(profile, self, before) {
  const tree = new BoxTree();
  for (let at = 1; at < self.length; ++at) {
    if (self[at] <= 0 && before[at] <= 0) continue;
    let node = 0;
    for (let stack = at; stack !== 0; stack = profile.parents[stack]) node = tree.child(node, profile.stackFrames[stack]);
    tree.add(node, self[at], before[at]);
  }
  return tree.finish(profile);
}

// Callees and callers of a function. Where it calls itself, the outermost call counts.
function aroundFunction(profile, frame, self, before) {
  const callees = new BoxTree(), callers = new BoxTree();
  const node = new Int32Array(self.length);
  const totals = profile.totalsOf(self), totalsBefore = profile.totalsOf(before);
  for (let at = 1; at < self.length; ++at) {
    if (totals[at] <= 0 && totalsBefore[at] <= 0) continue;
    const below = node[profile.parents[at]];
    if (below === 0 && profile.stackFrames[at] !== frame) continue;
    node[at] = callees.child(below, profile.stackFrames[at]);
    callees.add(node[at], self[at], before[at]);
    if (below !== 0) continue;
    let caller = callers.child(0, frame);
    for (let stack = profile.parents[at]; stack !== 0; stack = profile.parents[stack])
      caller = callers.child(caller, profile.stackFrames[stack]);
    callers.add(caller, totals[at], totalsBefore[at]);
  }
  return { callees: callees.finish(profile), callers: callers.finish(profile) };
}
