// RunningThreads: which threads run at each moment, from the context switches of a recording: how many of them ran in
// parallel to a sample is its parallelism.
//
// A thread runs from its first sample or from when it is switched in, until it is switched out or ends. The idle task
// counts for nothing. Fed in time order.
#pragma once
#include <algorithm>
#include <unordered_set>
#include <variant>

#include "abi/side_band.h"

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
  // Of a sample of this thread.
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
