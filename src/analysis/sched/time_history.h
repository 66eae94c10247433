// TimeHistory: each run of a task on a CPU and what preceded it: the rows and sums of `sched timehist`.
//
//   switched out ─ wait ─▶ woken ─ delay ─▶ switched in ─ run ─▶ switched out      one row, at its end
//                          └ also reported separately, as are migrations
//
// The state in which a task left determines what it waited for: R preempted, D a device or lock, otherwise it slept.
// Times in ns. One state per task and CPU; memory does not grow with the recording.
#pragma once
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/sched/sched_event.h"
#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TimeHistoryRow {
  SchedKind kind = SchedKind::Switch;  // Wakeup, NewTask and Waking: the woken task; Migrate: the moved one
  const ReplaySample& sample;
  const SchedEvent& event;
  u64 time = 0;
  u64 wait = 0, delay = 0, run = 0;  // Switch
  u64 before_move = 0;               // Switch: the part of the delay before the last migration
};

// For a task, or a CPU's idle task.
struct TaskTimes {
  RunStats runs;  // in ns
  u64 least = 0, most = 0;
  u64 run = 0, sleep = 0, io_wait = 0, preempted = 0, delay = 0;
  u64 migrations = 0;
};

// Idle time that followed a task leaving its CPU idle from this stack.
struct IdleCause {
  std::vector<std::string> chain;  // functions, innermost first
  u64 time = 0, count = 0;
};

// The functions through which a task left its CPU, innermost first, at most `depth`, without the scheduler's.
std::vector<std::string> scheduled_chain(const ReplaySample& sample, unsigned depth, Resolver& resolver);

class TimeHistory : public SchedSink {
 public:
  struct Request {
    std::optional<TimeRange> window;
    SampleFilter filter;                                         // CPUs, pids and tids
    std::vector<i64> priorities;                                 // of the previous task, ascending; empty: all
    bool idle_only = false;                                      // only idle times and the tasks that left the CPU idle
    unsigned chain_depth = 0;                                    // for IdleCause; 0: do not collect
    std::function<void(const TimeHistoryRow&, Resolver&)> show;  // may be empty
    std::function<void(u64 time, u64 events, u32 cpu)> show_lost = {};  // may be empty
  };
  TimeHistory(const data::Reader& reader, Request request) : SchedSink(reader), request_(std::move(request)) {}

  std::bitset<128> records() const override;  // EXIT, FORK, LOST
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;

  struct TaskRow {
    u32 tid = 0;
    const TaskTimes* times = nullptr;
  };
  // Tasks that ran, longest first; without idle ones.
  std::vector<TaskRow> tasks() const;
  // Null: this CPU was never idle.
  const TaskTimes* idle(u32 cpu) const;
  std::vector<IdleCause> idle_causes(u32 cpu) const;  // longest first
  u64 span() const { return last_ - first_; }         // from the first to the last switch
  u64 switches() const;                               // counted ones
  bool has_ended(u32 tid) const { return ended_.contains(tid); }
  bool has_cpu(u32 cpu) const { return cpus_.contains(cpu); }

 private:
  struct Task {
    u64 left = 0;  // when it was switched out; 0: never
    char state = 'R';
    u64 ready = 0;  // when it was woken since; 0: not
    u64 moved = 0;  // when it was last migrated after that; 0: not
    TaskTimes times;
  };
  struct Cpu {
    u64 switched = 0;  // time of the last switch
    Task idle;
    u32 left_by = 0;  // the task that left it idle, and where
    std::vector<std::string> chain;
  };
  bool needs(SchedKind kind) const override;
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void take_switch(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver);
  bool accepts(const ReplaySample& sample, Resolver& resolver) const;
  TimeHistoryRow account(Task& task, const SchedEvent& event, const ReplaySample& sample, u64 from, u64 until);
  void charge(const Cpu& cpu, u32 number, u64 time);

  Request request_;
  std::unordered_map<u32, Task> tasks_;  // by tid
  std::unordered_set<u32> ended_;        // tids
  std::map<u32, Cpu> cpus_;
  std::map<u32, std::map<std::vector<std::string>, IdleCause>> causes_;  // by CPU
  u64 first_ = 0, last_ = 0;
};

}  // namespace peregrine
