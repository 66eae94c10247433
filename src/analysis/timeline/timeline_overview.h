// TimelineOverview: how busy each lane was, in at most kSlots slots of equal length, for views of more than can be
// drawn row by row. The number of events need not be known beforehand: slots double in length when the time runs past
// the last.
#pragma once
#include <vector>

#include "base/types.h"

namespace peregrine {

// Sums of one lane by slot, from slot `first`.
struct SlotSums {
  u32 first = 0;
  std::vector<float> sums;
};

// The lanes that have sums. CpuTask: the task that ran longest, as index plus one.
enum class SumKind : u8 { CpuRuns, CpuTask, CpuInterrupts, TaskRuns, TaskWaits, TaskBlocks, Events, DeviceBusy };
inline constexpr std::size_t kSumKinds = 8;

class TimelineOverview {
 public:
  static constexpr u32 kSlots = 2048;
  // Of each kind. Of more tasks, the least busy ones lose their sums; further CPUs, types and devices have none.
  static constexpr u32 kMostLanes = 4096;

  // Spreads the time over slots. For CpuRuns, `task` is who ran.
  void add_time(SumKind kind, u32 owner, u64 from, u64 until, u32 task = 0);
  void add_event(u32 type, u64 time);

  u64 slot_length() const { return u64{1} << shift_; }
  // By owner: CPU, task, type or device.
  const std::vector<SlotSums>& lanes(SumKind kind) const { return lanes_[static_cast<std::size_t>(kind)]; }
  // Whether some tasks have no or too small sums.
  bool is_partial() const { return partial_; }

 private:
  u32 slot_of(u64 time);
  void double_slots();
  SlotSums& lane(SumKind kind, u32 owner);
  void drop_least_busy(SumKind kind);
  static float& at(SlotSums& lane, u32 slot);
  void add_runner(u32 cpu, u32 slot, float time, u32 task);

  unsigned shift_ = 10;
  std::vector<SlotSums> lanes_[kSumKinds];
  std::size_t filled_[kSumKinds] = {};  // lanes with sums, of tasks only
  bool partial_ = false;
  std::vector<SlotSums> leads_;  // by CPU: by how much the task of CpuTask is ahead of the others
};

}  // namespace peregrine
