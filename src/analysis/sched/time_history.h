// TimeHistory: each stay of a task on a CPU, with what came before it: the rows and sums of `sched timehist`.
//
//   switched out ─ wait ─▶ woken ─ delay ─▶ switched in ─ run ─▶ switched out      one row, at its end
//                          └ also told as a row of its own, as are moves to another CPU
//
// What a task waited for is told by the state in which it left: R it was put aside, D it waited for a device or lock,
// else it slept. Times in ns. One state per task and CPU; nothing grows with the recording.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/sched/sched_event.h"
#include "analysis/stat/run_stats.h"

namespace peregrine {

struct TimeHistoryRow {
  SchedKind kind = SchedKind::Switch;  // Wakeup, NewTask and Waking: who was woken; Migrate: who was moved
  const ReplaySample& sample;
  const SchedEvent& event;
  u64 time = 0;
  u64 wait = 0, delay = 0, run = 0;  // Switch
  u64 before_move = 0;               // Switch: the part of the delay before the last move to another CPU
};

// Of a task, or of a CPU's idle task.
struct TaskTimes {
  RunStats runs;  // ns each
  u64 least = 0, most = 0;
  u64 run = 0, sleep = 0, io_wait = 0, preempted = 0, delay = 0;
  u64 migrations = 0;
};

// What was not idle any more after a task left its CPU idle from here.
struct IdleCause {
  std::vector<std::string> chain;  // functions, innermost first
  u64 time = 0, count = 0;
};

// The functions through which a task left its CPU, at most so many, innermost first: without those of the scheduler.
std::vector<std::string> scheduled_chain(const ReplaySample& sample, unsigned depth, Resolver& resolver);

class TimeHistory : public SchedSink {
 public:
  struct Request {
    std::optional<TimeRange> window;
    SampleFilter filter;          // CPUs, pids and tids
    std::vector<i64> priorities;  // of the task that leaves, ascending; empty: all
    bool idle_only = false;       // stays of the idle tasks, and who left the CPU to them
    unsigned chain_depth = 0;     // of IdleCause; 0: none are kept
    std::function<void(const TimeHistoryRow&, Resolver&)> show;         // may be empty
    std::function<void(u64 time, u64 events, u32 cpu)> show_lost = {};  // may be empty
  };
  TimeHistory(const data::Reader& reader, Request request) : SchedSink(reader), request_(std::move(request)) {}

  std::bitset<128> records() const override;  // EXIT, FORK, LOST
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;

  struct TaskRow {
    u32 tid = 0;
    const TaskTimes* times = nullptr;
  };
  // Tasks that ran, the longest first; without the idle ones.
  std::vector<TaskRow> tasks() const;
  // By CPU; without times: it was never idle.
  const std::map<u32, TaskTimes>& idle() const { return idle_; }
  std::vector<IdleCause> idle_causes(u32 cpu) const;  // the longest first
  u64 span() const { return last_ - first_; }         // from the first switch to the last
  u64 switches() const;                               // that were counted
  bool has_ended(u32 tid) const { return ended_.contains(tid); }
  bool has_cpu(u32 cpu) const { return cpus_.contains(cpu); }

 private:
  struct Task {
    u64 left = 0;  // when it was switched out; 0: never
    char state = 'R';
    u64 ready = 0;  // when it was woken; 0: not since
    u64 moved = 0;  // when it was moved to another CPU after that; 0: not since
    TaskTimes times;
  };
  struct Cpu {
    u64 switched = 0;  // the last time
    Task idle;
    u32 left_by = 0;  // who left it idle, from where
    std::vector<std::string> chain;
  };
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void take_switch(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver);
  bool accepts(const ReplaySample& sample, Resolver& resolver) const;
  TimeHistoryRow account(Task& task, const SchedEvent& event, const ReplaySample& sample, u64 from, u64 until);
  void charge(const Cpu& cpu, u32 number, u64 time);

  Request request_;
  std::unordered_map<u32, Task> tasks_;  // by tid
  std::unordered_set<u32> ended_;        // tids
  std::map<u32, Cpu> cpus_;
  std::map<u32, TaskTimes> idle_;
  std::map<u32, std::map<std::vector<std::string>, IdleCause>> causes_;  // by CPU
  u64 first_ = 0, last_ = 0;
};

}  // namespace peregrine
