// The flame graph in order of time: from left to right one column per time step, in which stacks share the width; equal
// frames of adjacent columns are one box. Steps without samples stay empty.

const NARROW = 0.4;  // pixels: narrower boxes are left out

// The values of stacks in each slot of the range.
function columnsOf(profile, { series, measure, range }, lanes) {
  const { stack, slot, lane, [measure]: values } = profile.series[series];
  const [from, to] = range || [0, profile.time.slots], columns = Array.from({ length: to - from }, () => []);
  for (let i = 0; i < stack.length; ++i)
    if (slot[i] >= from && slot[i] < to && values[i] > 0 && (!lanes || lanes[lane[i]])) columns[slot[i] - from].push([stack[i], values[i]]);
  return columns;
}

// `width`: pixels of the picture.
function timeTree(profile, state, lanes, width) {
  const tree = new BoxTree(), columns = columnsOf(profile, state, lanes), left = [0], extent = [columns.length];
  const lasts = [];  // by depth: the latest box and its end
  columns.forEach((column, slot) => {
    const sums = new Map();  // of stacks with their descendants
    let whole = 0;
    for (const [stack, value] of column) {
      whole += value;
      for (let at = stack; at !== 0; at = profile.parents[at]) sums.set(at, (sums.get(at) || 0) + value);
    }
    tree.add(0, whole, 0);
    const kept = Array.from(sums.keys()).filter((at) => sums.get(at) / whole * width >= NARROW * columns.length).sort((a, b) => a - b);
    const places = new Map([[0, { node: 0, next: slot, depth: 0 }]]);  // parents come first
    for (const at of kept) {
      const parent = places.get(profile.parents[at]), x = parent.next, sum = sums.get(at), wide = sum / whole;
      const frame = profile.stackFrames[at], depth = parent.depth + 1, last = lasts[depth];
      const goesOn = last && tree.parents[last.node] === parent.node && tree.frames[last.node] === frame && Math.abs(last.end - x) < 1e-6;
      const node = goesOn ? last.node : tree.addBox(parent.node, frame);
      if (!goesOn) {
        left.push(x);
        extent.push(0);
      }
      extent[node] += wide;
      lasts[depth] = { node, end: x + wide };
      tree.add(node, sum, 0);
      tree.add(parent.node, -sum, 0);
      parent.next += wide;
      places.set(at, { node, next: x, depth });
    }
  });
  return Object.assign(tree.finish(null), { left: Float64Array.from(left), extent: Float64Array.from(extent), ordered: true });
}

// The slots that a box covers.
function slotsOfBox(profile, tree, node, range) {
  const from = range ? range[0] : 0, first = from + Math.floor(tree.left[node] + 1e-6);
  return [first, Math.max(first + 1, Math.min(profile.time.slots, from + Math.ceil(tree.left[node] + tree.extent[node] - 1e-6)))];
}
