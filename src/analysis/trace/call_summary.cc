#include "analysis/trace/call_summary.h"

#include <algorithm>
#include <cmath>

namespace peregrine {

double CallStats::average() const { return calls == 0 ? 0 : static_cast<double>(total) / static_cast<double>(calls); }

double CallStats::relative_error() const {
  if (calls < 2 || total == 0) return 0;
  const double count = static_cast<double>(calls), mean = average();
  const double spread = std::max(0.0, squares - count * mean * mean);
  return 100.0 * std::sqrt(spread / (count - 1) / count) / mean;
}

void CallSummary::add(const TracedCall& call) {
  const u64 whose = by_ == SumBy::Thread ? static_cast<u32>(call.tid) : 0;
  CallStats& stats = stats_[{whose, call.set, call.number}];
  const u64 time = call.duration;
  stats.least = stats.calls == 0 ? time : std::min(stats.least, time);
  stats.most = std::max(stats.most, time);
  ++stats.calls;
  stats.total += time;
  stats.squares += static_cast<double>(time) * static_cast<double>(time);
  if (!call.failed()) return;
  ++stats.errors;
  ++stats.by_error[static_cast<int>(-call.result)];
}

void CallSummary::add(const CallSum& sum) {
  const u64 whose = by_ == SumBy::Cgroup ? sum.cgroup : static_cast<u32>(sum.tid);
  CallStats& stats = stats_[{whose, sum.set, sum.number}];
  stats.least = stats.calls == 0 ? sum.least : std::min(stats.least, sum.least);
  stats.most = std::max(stats.most, sum.most);
  stats.calls += sum.calls;
  stats.errors += sum.errors;
  stats.total += sum.total;
  stats.squares += sum.squares;
  if (sum.error != 0) stats.by_error[sum.error] += sum.calls;
}

std::vector<CallSummary::Block> CallSummary::blocks() const {
  std::vector<Block> blocks;
  std::unordered_map<u64, std::size_t> place;
  for (const auto& [key, stats] : stats_) {
    const auto [found, added] = place.emplace(key.whose, blocks.size());
    if (added) {
      blocks.push_back({.tid = by_ == SumBy::Cgroup ? 0 : static_cast<Pid>(key.whose),
                        .cgroup = by_ == SumBy::Cgroup ? key.whose : 0,
                        .rows = {}});
    }
    Block& block = blocks[found->second];
    block.events += stats.calls * 2;
    block.rows.push_back({key.set, key.number, stats});
  }
  for (const auto& [whose, index] : place)
    if (const auto ran = runtime_.find(whose); ran != runtime_.end()) blocks[index].runtime = ran->second;
  for (const auto& [whose, index] : place)
    if (const auto counted = events_.find(whose); counted != events_.end()) blocks[index].events = counted->second;
  for (Block& block : blocks)
    std::ranges::stable_sort(block.rows, std::greater<>(), [](const Row& row) { return row.stats.total; });
  std::ranges::stable_sort(blocks, std::greater<>(), &Block::events);
  return blocks;
}

}  // namespace peregrine
