// RunningThreads: tracks running threads through context switches, to compute a sample's parallelism: the number of
// threads running at that time.
//
// A thread runs from its first sample or switch-in to its switch-out or end. The idle task does not count. Must be fed
// in time order.
#pragma once
#include <algorithm>
#include <unordered_set>
#include <variant>

#include "abi/side_band.h"
#include "base/types.h"

namespace peregrine {

class RunningThreads {
 public:
  void apply(const abi::SideBand& record) {
    if (const auto* exit = std::get_if<abi::ExitRecord>(&record.body)) running_.erase(exit->tid);
    const auto* change = std::get_if<abi::SwitchRecord>(&record.body);
    if (change == nullptr) return;
    if (change->out)
      running_.erase(record.id.tid);
    else
      add(record.id.tid);
  }
  // The parallelism of a sample of this thread.
  u64 parallelism(u32 tid) {
    add(tid);
    return std::max<u64>(1, running_.size());
  }

 private:
  void add(u32 tid) {
    if (tid != 0) running_.insert(tid);
  }
  std::unordered_set<u32> running_;
};

}  // namespace peregrine
