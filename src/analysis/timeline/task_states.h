// TaskStates: the states of tasks over time, from switches and wake-ups: running, waiting for a CPU, asleep.
//
// A task that is first seen leaving its CPU counts as running there since the block began. Where a switch was lost,
// nothing is drawn until the next one.
#pragma once
#include <unordered_map>
#include <vector>

#include "analysis/timeline/timeline_overview.h"
#include "analysis/timeline/timeline_rows.h"
#include "base/types.h"

namespace peregrine {

class TaskStates {
 public:
  // `rows` and `overview` get the slices. Both must outlive this.
  TaskStates(std::vector<TaskSlice>& rows, TimelineOverview& overview) : rows_(rows), overview_(overview) {}

  static constexpr u32 kIdle = 0;  // the task of all idle CPUs, which has no states
  // A switch on `cpu`; `cause`: as TaskSlice has it. `block`: when the current block began.
  void switched(u64 time, u32 cpu, u32 from, char state, u32 cause, u32 to, u64 block);
  void woken(u64 time, u32 task, u32 cause);
  void ended(u64 time, u32 task);
  // Adds the states that continue after the end of a block, as open ones.
  void cut(u64 time);
  // Whether the task's last known state is its end.
  bool has_ended(u32 task) const { return task < ongoing_.size() && ongoing_[task].ended; }
  // The task that came last on a CPU; kIdle if unknown.
  u32 running_on(u32 cpu) const {
    const auto found = running_.find(cpu);
    return found == running_.end() ? kIdle : found->second;
  }
  // States that ended with their block because too many tasks had one.
  u64 dropped() const { return dropped_; }
  const std::vector<u64>& run_times() const { return run_times_; }  // by task; may be shorter

 private:
  struct Ongoing {
    TaskSlice slice;
    u64 summed = 0;  // the overview has it up to this time
    bool known = false, ended = false;
  };
  Ongoing& at(u32 task);
  void begin(u64 time, u32 task, TaskSlice slice);
  void close(u64 time, Ongoing& ongoing);
  void sum(u64 time, Ongoing& ongoing);

  std::vector<TaskSlice>& rows_;
  TimelineOverview& overview_;
  std::vector<Ongoing> ongoing_;          // by task
  std::unordered_map<u32, u32> running_;  // by CPU: the task that came last
  std::vector<u64> run_times_;
  u64 dropped_ = 0;
};

}  // namespace peregrine
