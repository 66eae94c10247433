#include "analysis/profile/butterfly.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/hist/chain/chain_tree.h"
#include "base/container/sort_unique.h"

namespace peregrine {

namespace {

class ButterflyMaker {
 public:
  explicit ButterflyMaker(const Profile& profile) : profile_(profile) {}

  CallButterfly make(u32 event, bool by_count) {
    name_functions();
    std::map<u32, u64> stacks;
    for (const ProfileSample& sample : profile_.samples)
      if (sample.event == event) stacks[sample.stack.value] += by_count ? sample.samples : sample.period;
    for (const auto& [stack, weight] : stacks) add(ChainId(stack), weight);
    add_edges();
    sort();
    return std::move(made_);
  }

 private:
  void name_functions() {
    std::map<std::pair<u32, u32>, u32> known;  // by name and dso
    for (const ProfileFrame& frame : profile_.frames) {
      const StringId name = made_.texts.intern(frame_name(profile_, frame));
      const auto [at, fresh] = known.try_emplace({name.value, frame.dso}, static_cast<u32>(made_.functions.size()));
      if (fresh) made_.functions.push_back({.name = name, .dso = frame.dso, .callers = {}, .callees = {}});
      function_of_.push_back(at->second);
    }
  }

  void add(ChainId stack, u64 weight) {
    made_.weight += weight;
    chain_.clear();  // innermost first
    for (ChainId at = stack; at != kRootChain; at = profile_.stacks.parent(at))
      chain_.push_back(function_of_[profile_.stacks.frame(at).value]);
    if (chain_.empty()) return;
    made_.functions[chain_.front()].self += weight;
    made_.functions[chain_.back()].outermost += weight;
    pairs_.clear();
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) pairs_.emplace_back(chain_[i + 1], chain_[i]);
    sort_unique(pairs_);
    for (const auto& pair : pairs_) edges_[pair] += weight;
    sort_unique(chain_);
    for (const u32 function : chain_) made_.functions[function].total += weight;
  }

  void add_edges() {
    for (const auto& [pair, weight] : edges_) {
      made_.functions[pair.first].callees.push_back({pair.second, weight});
      made_.functions[pair.second].callers.push_back({pair.first, weight});
    }
  }

  void sort() {
    std::vector<u32> order(made_.functions.size()), place(order.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](u32 a, u32 b) {
      const CallButterfly::Function &left = made_.functions[a], &right = made_.functions[b];
      return left.total != right.total ? left.total > right.total : left.self > right.self;
    });
    std::vector<CallButterfly::Function> sorted;
    for (const u32 function : order) {
      place[function] = static_cast<u32>(sorted.size());
      sorted.push_back(std::move(made_.functions[function]));
    }
    for (CallButterfly::Function& function : sorted) {
      for (auto* const edges : {&function.callers, &function.callees}) {
        for (CallButterfly::Edge& edge : *edges) edge.function = place[edge.function];
        std::ranges::stable_sort(*edges, [](const auto& a, const auto& b) { return a.weight > b.weight; });
      }
    }
    made_.functions = std::move(sorted);
  }

  const Profile& profile_;
  CallButterfly made_;
  std::vector<u32> function_of_;  // by frame
  std::vector<u32> chain_;
  std::vector<std::pair<u32, u32>> pairs_;
  std::map<std::pair<u32, u32>, u64> edges_;  // by caller and callee
};

}  // namespace

CallButterfly call_butterfly(const Profile& profile, u32 event, bool by_count) {
  return ButterflyMaker(profile).make(event, by_count);
}

}  // namespace peregrine
