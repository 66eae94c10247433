#include "analysis/hist/picture/stack_order.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/types.h"

namespace peregrine {

namespace {

// Sorts all values except the first, which is reserved (empty or root). Returns the new index of each.
template <class Value, class Less>
std::vector<u32> order_values(std::vector<Value>& values, Less less) {
  std::vector<u32> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!order.empty())
    std::sort(order.begin() + 1, order.end(), [&](u32 a, u32 b) { return less(values[a], values[b]); });
  std::vector<u32> place(values.size());
  std::vector<Value> ordered;
  ordered.reserve(values.size());
  for (const u32 at : order) {
    place[at] = static_cast<u32>(ordered.size());
    ordered.push_back(std::move(values[at]));
  }
  values = std::move(ordered);
  return place;
}

void order_frames(StackProfile& profile) {
  const std::vector<u32> text = order_values(profile.texts, std::less<std::string>());
  for (StackFrame& frame : profile.frames) frame = {text[frame.name], text[frame.dso], frame.kind};
  const std::vector<u32> frame = order_values(profile.frames, [](const StackFrame& a, const StackFrame& b) {
    return std::tie(a.name, a.dso, a.kind) < std::tie(b.name, b.dso, b.kind);
  });
  for (Stack& stack : profile.stacks) stack.frame = frame[stack.frame];
}

}  // namespace

std::vector<u32> order_stacks(StackProfile& profile) {
  order_frames(profile);
  const std::vector<Stack> old = std::move(profile.stacks);
  std::vector<u32> first(old.size() + 1);  // by parent: index of its first child
  for (std::size_t at = 1; at < old.size(); ++at) ++first[old[at].parent + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<u32> children(old.size()), next(first.begin(), first.end() - 1);
  for (u32 at = 1; at < old.size(); ++at) children[next[old[at].parent]++] = at;

  std::vector<u32> place(old.size()), open{0};
  profile.stacks.clear();
  profile.stacks.reserve(old.size());
  while (!open.empty()) {
    const u32 at = open.back();
    open.pop_back();
    place[at] = static_cast<u32>(profile.stacks.size());
    profile.stacks.push_back({at == 0 ? 0 : place[old[at].parent], old[at].frame});
    const std::span<u32> own = std::span(children).subspan(first[at], first[at + 1] - first[at]);
    std::ranges::sort(own, std::ranges::greater(), [&](u32 child) { return old[child].frame; });
    open.insert(open.end(), own.begin(), own.end());
  }
  return place;
}

}  // namespace peregrine
