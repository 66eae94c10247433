// The flame graph in order of time: from left to right one column per time step, in which stacks share the width; equal
// frames of adjacent columns are one box. Steps without samples stay empty.

// The stacks of each slot in a range, largest first where only `most` of them fit. Ascending by slot, then stack.
function columnsOf(profile, { series, measure, range }, lanes, most) {
  const { stack, slot, lane, [measure]: values } = profile.series[series];
  const [from, to] = range || [0, profile.time.slots], columns = Array.from({ length: to - from }, () => new Map());
  for (let i = 0; i < stack.length; ++i) {
    if (slot[i] < from || slot[i] >= to || values[i] <= 0 || (lanes && !lanes[lane[i]])) continue;
    const column = columns[slot[i] - from];
    column.set(stack[i], (column.get(stack[i]) || 0) + values[i]);
  }
  return columns.map((column) => {
    const all = Array.from(column), whole = all.reduce((sum, [, value]) => sum + value, 0);
    const shown = all.length <= most ? all : all.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
    return { whole, stacks: shown.sort((a, b) => a[0] - b[0]) };
  });
}

// `width`: pixels of the picture; columns hold as many stacks as can be seen.
function timeTree(profile, state, lanes, width) {
  const tree = new BoxTree(), slots = state.range ? state.range[1] - state.range[0] : profile.time.slots;
  const columns = columnsOf(profile, state, lanes, Math.max(2, Math.ceil(width / slots)));
  const left = [0], extent = [slots];
  let open = [], end = -1;  // the boxes of the previous stack, and where it ends
  columns.forEach(({ whole, stacks }, slot) => {
    let x = slot;
    for (const [stack, value] of stacks) {
      const path = [], wide = value / whole;
      for (let at = stack; at !== 0; at = profile.parents[at]) path.push(profile.stackFrames[at]);
      path.reverse();
      if (Math.abs(end - x) > 1e-6) open = [];
      let same = 0;
      while (same < open.length && same < path.length && tree.frames[open[same]] === path[same]) ++same;
      open.length = same;
      for (; same < path.length; ++same) {
        open.push(tree.addBox(same === 0 ? 0 : open[same - 1], path[same]));
        left.push(x);
        extent.push(0);
      }
      for (const node of open) extent[node] += wide;
      tree.add(open.length === 0 ? 0 : open[open.length - 1], value, 0);
      end = x += wide;
    }
  });
  return Object.assign(tree.finish(null), { left: Float64Array.from(left), extent: Float64Array.from(extent), ordered: true });
}

// The slots that a box covers.
function slotsOfBox(profile, tree, node, range) {
  const from = range ? range[0] : 0, first = from + Math.floor(tree.left[node] + 1e-6);
  return [first, Math.max(first + 1, Math.min(profile.time.slots, from + Math.ceil(tree.left[node] + tree.extent[node] - 1e-6)))];
}
