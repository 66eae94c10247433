#include "analysis/trace/call_summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "base/types.h"
#include "sys/process/process.h"

namespace peregrine {

double CallStats::average() const { return calls == 0 ? 0 : static_cast<double>(total) / static_cast<double>(calls); }

double CallStats::relative_error() const {
  if (calls < 2 || total == 0) return 0;
  const double count = static_cast<double>(calls), mean = average();
  const double spread = std::max(0.0, squares - count * mean * mean);
  return 100.0 * std::sqrt(spread / (count - 1) / count) / mean;
}

void CallSummary::add(const TracedCall& call) {
  CallStats& stats = stats_[{whose(call.tid), call.set, call.number}];
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

void CallSummary::add_fault(Pid tid, bool major) {
  if (by_ == SumBy::Cgroup) return;
  Faults& faults = faults_[whose(tid)];
  ++(major ? faults.major : faults.minor);
}

std::vector<CallSummary::Block> CallSummary::blocks() const {
  std::vector<Block> blocks;
  std::unordered_map<u64, std::size_t> place;
  const auto block_of = [&](u64 whose) -> Block& {
    const auto [found, added] = place.emplace(whose, blocks.size());
    if (added) {
      const bool by_cgroup = by_ == SumBy::Cgroup;
      blocks.push_back({.tid = by_cgroup ? 0 : static_cast<Pid>(whose), .cgroup = by_cgroup ? whose : 0, .rows = {}});
    }
    return blocks[found->second];
  };
  for (const auto& [key, stats] : stats_) {
    Block& block = block_of(key.whose);
    block.events += stats.calls * 2;
    block.rows.push_back({key.set, key.number, stats});
  }
  for (const auto& [whose, faults] : faults_) {
    Block& block = block_of(whose);
    block.events += faults.major + faults.minor;
    block.major_faults = faults.major;
    block.minor_faults = faults.minor;
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
