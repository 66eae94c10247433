#include "analysis/hist/row/call_graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/hist/chain/branch_sums.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/row/chain_places.h"
#include "base/number/whole_number.h"
#include "base/types.h"

namespace peregrine {

CallGraphBuilder::CallGraphBuilder(const RowTable& table)
    : table_(table),
      chains_(table.hists().chains()),
      downward_(table.request().chain_order == ChainOrder::Caller),
      has_branches_(table.hists().has_branches()) {
  if (has_branches_ && !downward_) depths_ = chain_depths(chains_);
  if (!downward_) return;
  children_ = ChainChildren(chains_);
  own_sums_.of.resize(chains_.size());
  if (has_branches_) own_sums_.branches.resize(chains_.size());
  if (!table.request().children) return;
  group_sums_.of.resize(chains_.size());
  if (has_branches_) group_sums_.branches.resize(chains_.size());
  outermost_ = outermost_nodes(chains_, table_.faces());
}

void CallGraphBuilder::NodeSums::clear() {
  for (const u32 at : touched) {
    of[at] = {};
    if (!branches.empty()) branches[at] = {};
  }
  touched.clear();
}

void CallGraphBuilder::add_path(NodeSums& sums, u32 entry_id) const {
  const HistEntry& entry = table_.hists().entries()[entry_id];
  const std::span<const BranchSums> branches = table_.hists().branches_of(entry_id);
  std::size_t depth = branches.size();
  for (ChainId at(entry.chain);; at = chains_.parent(at)) {
    Sum& sum = sums.of[at.value];
    if (sum.samples == 0) sums.touched.push_back(at.value);
    sum.period += entry.period;
    sum.samples += entry.samples;
    if (depth > 0) sums.branches[at.value].add(branches[--depth]);
    if (at == kRootChain) break;
  }
}

void CallGraphBuilder::open_group(u32 group) {
  if (group == group_) return;
  group_ = group;
  if (!entries_) entries_ = table_.entries_by_group();
  starts_.clear();
  if (downward_)
    sum_group(group);
  else
    list_callers(group);
  std::ranges::sort(starts_);
}

void CallGraphBuilder::sum_group(u32 group) {
  group_sums_.clear();
  for (const u32 entry : entries_->of(group)) add_path(group_sums_, entry);
  for (const u32 at : group_sums_.touched)
    if (at != kRootChain.value && outermost_[at])
      starts_.emplace_back(table_.faces().face(chains_.frame(ChainId(at))).value, at);
}

void CallGraphBuilder::list_callers(u32 group) {
  met_.resize(table_.faces().size(), 0xffffffffu);
  for (const u32 entry : entries_->of(group)) {
    const HistEntry& at_entry = table_.hists().entries()[entry];
    met_[table_.faces().face(HistFrameId(at_entry.leaf)).value] = entry;
    for (ChainId at(at_entry.chain); at != kRootChain; at = chains_.parent(at)) {
      const u32 face = table_.faces().face(chains_.frame(at)).value;
      if (met_[face] == entry) continue;
      met_[face] = entry;
      starts_.emplace_back(face, entry);
    }
  }
}

std::span<const std::pair<u32, u32>> CallGraphBuilder::starts_of(u32 face) const {
  const auto found = std::ranges::equal_range(starts_, face, {}, &std::pair<u32, u32>::first);
  return {found.begin(), found.end()};
}

std::vector<CallGraph> CallGraphBuilder::build(std::span<const u32> rows, u64 least, double least_share) {
  std::vector<CallGraph> result(rows.size());
  std::vector<u32> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  // Rows below the threshold show no call graph. The others are built group by group, so that each group's sums are
  // computed once.
  std::erase_if(order, [&](u32 at) { return table_.weight(table_.rows()[rows[at]]) < least; });
  if (table_.request().children)
    std::ranges::sort(order, {}, [&](u32 at) { return std::pair(table_.rows()[rows[at]].group, at); });
  for (const u32 at : order) result[at] = build_row(rows[at], least, least_share);
  return result;
}

CallGraph CallGraphBuilder::build_row(u32 row, u64 least, double least_share) {
  CallGraph graph;
  graph.least = least;
  graph.least_share = least_share;
  graph.nodes.emplace_back();
  expand(graph, 0, downward_ ? start_downward(row) : start_upward(row));
  return graph;
}

std::vector<CallGraphBuilder::Step> CallGraphBuilder::start_upward(u32 row) {
  std::vector<Step> steps;
  const std::vector<HistEntry>& entries = table_.hists().entries();
  const auto add = [&](ChainId at, u32 entry) {
    if (at == kRootChain) return;
    steps.push_back({chains_.frame(at),
                     {.node = chains_.parent(at).value,
                      .period = entries[entry].period,
                      .samples = entries[entry].samples,
                      .entry = entry},
                     at.value});
  };
  for (const u32 entry : table_.entries_of(row)) add(ChainId(entries[entry].chain), entry);
  if (!table_.request().children) return steps;

  // Samples in callees also count for this function: start at its innermost frame in their chains.
  const Row& wanted = table_.rows()[row];
  open_group(wanted.group);
  for (const auto& [face, entry] : starts_of(wanted.face)) {
    ChainId at(entries[entry].chain);
    while (table_.faces().face(chains_.frame(at)).value != face) at = chains_.parent(at);
    add(at, entry);
  }
  return steps;
}

std::vector<CallGraphBuilder::Step> CallGraphBuilder::start_downward(u32 row) {
  own_sums_.clear();
  const std::vector<HistEntry>& entries = table_.hists().entries();
  for (const u32 entry : table_.entries_of(row))
    if (entries[entry].chain != kRootChain.value) add_path(own_sums_, entry);
  std::vector<Step> steps;
  if (!own_sums_.touched.empty()) next_steps({.node = kRootChain.value}, steps);
  if (!table_.request().children) return steps;

  const Row& wanted = table_.rows()[row];
  open_group(wanted.group);
  for (const auto& [face, at] : starts_of(wanted.face)) {
    const HistFrameId frame = chains_.frame(ChainId(at));
    Cursor cursor{.node = at, .kind = 1};
    const Sum sum = sum_below(cursor);
    if (sum.samples == 0) continue;
    cursor.period = sum.period;
    cursor.samples = sum.samples;
    steps.push_back({frame, cursor, at});
  }
  return steps;
}

// The sum of the chains through a node; for kind 1, without the row's own samples.
CallGraphBuilder::Sum CallGraphBuilder::sum_below(const Cursor& cursor) const {
  const Sum& own = own_sums_.of[cursor.node];
  if (cursor.kind == 0) return own;
  const Sum& all = group_sums_.of[cursor.node];
  return {all.period - own.period, all.samples - own.samples};
}

// The branch sums of a step's frame.
BranchSums CallGraphBuilder::branches_of(const Step& step) const {
  if (!downward_) {
    const std::span<const BranchSums> branches = table_.hists().branches_of(step.cursor.entry);
    const std::size_t depth = depths_[step.node];
    return depth <= branches.size() ? branches[depth - 1] : BranchSums();
  }
  const BranchSums& own = own_sums_.branches[step.node];
  return step.cursor.kind == 0 ? own : group_sums_.branches[step.node].without(own);
}

// Appends the next steps of a cursor's chains; returns the sum of the chains that end here.
CallGraphBuilder::Sum CallGraphBuilder::next_steps(const Cursor& cursor, std::vector<Step>& steps) const {
  if (!downward_) {
    const ChainId node(cursor.node);
    if (node == kRootChain) return {cursor.period, cursor.samples};
    Cursor next = cursor;
    next.node = chains_.parent(node).value;
    steps.push_back({chains_.frame(node), next, node.value});
    return {};
  }
  Sum left = {cursor.period, cursor.samples};
  for (const u32 child : children_.of(cursor.node)) {
    Cursor next{.node = child, .kind = cursor.kind};
    const Sum sum = sum_below(next);
    if (sum.samples == 0) continue;
    next.period = sum.period;
    next.samples = sum.samples;
    steps.push_back({chains_.frame(ChainId(child)), next, child});
    left.period -= sum.period;
    left.samples -= sum.samples;
  }
  return left;
}

// Adds frames to a node until the chains diverge or one ends; returns the steps after that.
std::vector<CallGraphBuilder::Step> CallGraphBuilder::fill_node(CallGraph& graph, CallNode& node,
                                                                std::vector<Step> steps) const {
  node.first_frame = static_cast<u32>(graph.frames.size());
  for (const Step& step : steps) {
    node.total += step.cursor.period;
    node.total_samples += step.cursor.samples;
  }
  std::vector<Step> next;
  while (true) {
    graph.frames.push_back(steps.front().frame);
    ++node.frame_count;
    if (has_branches_) {
      BranchSums branches;
      for (const Step& step : steps) branches.add(branches_of(step));
      graph.branches.push_back(branches);
    }
    next.clear();
    Sum ended;
    for (const Step& step : steps) {
      const Sum sum = next_steps(step.cursor, next);
      ended.period += sum.period;
      ended.samples += sum.samples;
    }
    steps.swap(next);
    const auto branches = [&](const Step& step) { return step.frame != steps.front().frame; };
    if (ended.samples != 0 || steps.empty() || std::ranges::any_of(steps, branches)) {
      node.own = ended.period;
      node.own_samples = ended.samples;
      return steps;
    }
  }
}

void CallGraphBuilder::expand(CallGraph& graph, u32 node, std::vector<Step> steps) const {
  struct Branch {
    std::size_t from, to;
    u64 total;
  };
  std::ranges::sort(steps, {}, &Step::frame);
  std::vector<Branch> branches;
  for (std::size_t at = 0; at < steps.size();) {
    Branch branch{at, at, 0};
    for (; branch.to < steps.size() && steps[branch.to].frame == steps[at].frame; ++branch.to)
      branch.total += steps[branch.to].cursor.period;
    at = branch.to;
    branches.push_back(branch);
    if (node == 0) graph.nodes[0].total += branch.total;
  }
  const double below = static_cast<double>(graph.nodes[node].below());
  const u64 least = std::max(graph.least, whole_number(std::ceil(below * graph.least_share)));
  std::erase_if(branches, [&](const Branch& branch) { return branch.total < least; });
  std::ranges::sort(branches, [&](const Branch& a, const Branch& b) {
    if (a.total != b.total) return a.total > b.total;
    return table_.faces().sibling_before(steps[a.from].frame, steps[b.from].frame);
  });

  const u32 first = static_cast<u32>(graph.nodes.size());
  graph.nodes[node].first_child = first;
  graph.nodes[node].child_count = static_cast<u32>(branches.size());
  graph.nodes.resize(first + branches.size());
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto begin = steps.begin();
    std::vector<Step> part(begin + static_cast<std::ptrdiff_t>(branches[i].from),
                           begin + static_cast<std::ptrdiff_t>(branches[i].to));
    CallNode child;
    std::vector<Step> next = fill_node(graph, child, std::move(part));
    const u32 id = first + static_cast<u32>(i);
    graph.nodes[id] = child;
    expand(graph, id, std::move(next));
  }
}

}  // namespace peregrine
