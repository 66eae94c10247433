#include "analysis/hist/picture/flame_tree.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/flat_index.h"
#include "base/number/whole_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Merges stacks from the bottom up, by name, into a tree of sums that is not laid out yet.
class FlameTrie {
 public:
  struct Node {
    u32 parent = 0, frame = 0, name = 0;
    u64 period = 0, samples = 0, before = 0;
  };

  FlameTrie(const StackProfile& profile, bool chart) : profile_(profile), chart_(chart), nodes_(1), last_(1) {}

  u32 child(u32 parent, u32 frame) {
    const u32 name = profile_.frames[frame].name;
    if (chart_ && last_[parent] != 0 && nodes_[last_[parent]].name == name) return last_[parent];
    const u32 fresh = static_cast<u32>(nodes_.size());
    const u32 id = chart_ ? fresh
                          : index_.find_or_add(
                                hash(parent, name), fresh,
                                [&](u32 row) { return nodes_[row].parent == parent && nodes_[row].name == name; },
                                [&](u32 row) { return hash(nodes_[row].parent, nodes_[row].name); });
    if (id != fresh) return id;
    nodes_.push_back({.parent = parent, .frame = frame, .name = name});
    last_.push_back(0);
    return last_[parent] = fresh;
  }
  Node& at(u32 node) { return nodes_[node]; }
  const std::vector<Node>& nodes() const { return nodes_; }

  // Adds each node to its parent. Children follow their parents, so one pass from the back suffices.
  void sum_up() {
    for (std::size_t at = nodes_.size(); at-- > 1;) {
      Node& parent = nodes_[nodes_[at].parent];
      parent.period += nodes_[at].period;
      parent.samples += nodes_[at].samples;
      parent.before += nodes_[at].before;
    }
  }

 private:
  static u64 hash(u32 parent, u32 name) { return mix_bits(u64{parent} << 32 | name); }

  const StackProfile& profile_;
  bool chart_;
  std::vector<Node> nodes_;  // 0: root
  std::vector<u32> last_;    // by node: its youngest child
  FlatIndex index_;
};

class FlameMaker {
 public:
  FlameMaker(const StackProfile& profile, const FlameRequest& request)
      : profile_(profile), request_(request), trie_(profile, request.chart) {}
  FlameTree make();

 private:
  u32 place_of(u32 stack);
  u32 reversed_place_of(u32 stack);
  std::vector<StackWeight> weights_of(u32 series) const;
  void add_series(u32 series, bool base);
  void order_children();
  void lay_out(u32 node, u32 box);

  const StackProfile& profile_;
  const FlameRequest& request_;
  FlameTrie trie_;
  std::vector<u32> places_;         // by stack: its node; 0: unknown
  std::vector<u32> order_, first_;  // children of node n: order_[first_[n]] to order_[first_[n + 1]]
  FlameTree tree_;
  u64 least_ = 0;
};

// A chart needs the weights in time order; otherwise their order does not matter.
std::vector<StackWeight> FlameMaker::weights_of(u32 series) const {
  std::vector<StackWeight> weights = profile_.series[series].weights;
  if (request_.chart)
    std::ranges::stable_sort(weights, {},
                             [](const StackWeight& weight) { return std::pair(weight.slot, weight.stack); });
  return weights;
}

u32 FlameMaker::place_of(u32 stack) {
  if (stack == 0) return 0;
  // A chart may show the same stack again later, in another box.
  if (places_[stack] != 0 && !request_.chart) return places_[stack];
  const u32 below = place_of(profile_.stacks[stack].parent);
  return places_[stack] = trie_.child(below, profile_.stacks[stack].frame);
}

u32 FlameMaker::reversed_place_of(u32 stack) {
  u32 node = 0;
  for (u32 at = stack; at != 0; at = profile_.stacks[at].parent) node = trie_.child(node, profile_.stacks[at].frame);
  return node;
}

void FlameMaker::add_series(u32 series, bool base) {
  for (const StackWeight& weight : weights_of(series)) {
    FlameTrie::Node& node = trie_.at(request_.reversed ? reversed_place_of(weight.stack) : place_of(weight.stack));
    if (base) {
      node.before += weight.period;
    } else {
      node.period += weight.period;
      node.samples += weight.samples;
    }
  }
}

void FlameMaker::order_children() {
  const std::vector<FlameTrie::Node>& nodes = trie_.nodes();
  std::vector<u32> by_name(profile_.texts.size()), rank(profile_.texts.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::ranges::sort(by_name, {}, [&](u32 text) -> std::string_view { return profile_.texts[text]; });
  for (u32 at = 0; at < by_name.size(); ++at) rank[by_name[at]] = at;
  order_.resize(nodes.size() - 1);
  std::iota(order_.begin(), order_.end(), 1u);
  std::ranges::sort(order_, {}, [&](u32 node) {
    return std::tuple(nodes[node].parent, request_.chart ? 0 : rank[nodes[node].name], node);
  });
  first_.assign(nodes.size() + 1, 0);
  for (const u32 node : order_) ++first_[nodes[node].parent + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

void FlameMaker::lay_out(u32 node, u32 box) {
  u64 offset = tree_.boxes[box].offset;
  for (u32 at = first_[node]; at < first_[node + 1]; ++at) {
    const FlameTrie::Node& child = trie_.nodes()[order_[at]];
    const u64 left = offset;
    offset += child.period;
    if (child.period == 0) tree_.vanished += child.before;
    if (child.period == 0 && child.before != 0) continue;
    if (child.period < least_ || child.period == 0) {
      ++tree_.pruned;
      continue;
    }
    const u32 fresh = static_cast<u32>(tree_.boxes.size());
    const StackFrame& frame = profile_.frames[child.frame];
    tree_.boxes.push_back({.name = profile_.texts[frame.name],
                           .kind = frame.kind,
                           .period = child.period,
                           .samples = child.samples,
                           .offset = left,
                           .depth = tree_.boxes[box].depth + 1,
                           .parent = box,
                           .before = child.before,
                           .dso = profile_.texts[frame.dso]});
    lay_out(order_[at], fresh);
  }
}

FlameTree FlameMaker::make() {
  places_.resize(profile_.stacks.size());
  add_series(request_.series, false);
  if (request_.base) add_series(*request_.base, true);
  trie_.sum_up();
  order_children();
  const FlameTrie::Node& all = trie_.nodes()[0];
  least_ = whole_number(static_cast<double>(all.period) * request_.least_share);
  tree_.boxes.push_back({.name = "all", .period = all.period, .samples = all.samples, .before = all.before});
  tree_.compared = request_.base.has_value();
  lay_out(0, 0);
  for (const FlameBox& box : tree_.boxes) tree_.depth = std::max(tree_.depth, box.depth + 1);
  if (request_.base && request_.normalised && all.before != 0) {
    const double scale = static_cast<double>(all.period) / static_cast<double>(all.before);
    const auto scaled = [&](u64 period) { return whole_number(static_cast<double>(period) * scale + 0.5); };
    for (FlameBox& box : tree_.boxes) box.before = scaled(box.before);
    tree_.vanished = scaled(tree_.vanished);
  }
  return std::move(tree_);
}

}  // namespace

FlameTree make_flame_tree(const StackProfile& profile, const FlameRequest& request) {
  return FlameMaker(profile, request).make();
}

}  // namespace peregrine
