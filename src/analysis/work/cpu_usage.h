// CpuUsage: how long tasks, interrupts, softirqs and nothing at all had each CPU.
//
//   switch in ── task ── irq ── task ── softirq ── task ──▶ switch out      the task is charged without both
//
// An interrupt inside a softirq counts as interrupt only. A CPU is known from its first switch on, and until the last
// one: what ran before and after is not in the recording. Where events were lost, whoever ran last goes on. Times in
// ns. One state per task and CPU; nothing grows with the recording.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"

namespace peregrine {

struct TaskUsage {
  u32 tid = 0;
  u32 cpu = 0;  // of an idle task, which each CPU has
  std::string comm;
  u64 runtime = 0;
};

struct CpuTimes {
  u64 total = 0, idle = 0, irq = 0, softirq = 0;
  u64 busy() const { return total - idle; }
};

// What the page shows.
struct CpuUsageTable {
  std::map<u32, CpuTimes> cpus;  // by number
  std::vector<TaskUsage> tasks;  // that ran, by tid; idle tasks first
  CpuTimes all() const;
};

class CpuUsage : public TracepointSink {
 public:
  explicit CpuUsage(const data::Reader& reader, std::string name = {});  // `name`: only tasks of this name, as rows

  CpuUsageTable table() const;
  Result<> outcome() const override;

 private:
  // What has the CPU at the moment.
  struct Course {
    bool known = false;
    u64 since = 0;  // the last change
    u32 tid = 0;
    unsigned irqs = 0, softirqs = 0;  // that have begun
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void charge(u32 cpu, Course& course, u64 time);
  TaskUsage& task(u32 tid, u32 cpu);

  std::string name_;
  std::map<u32, Course> courses_;                   // by CPU
  std::map<std::pair<u32, u32>, TaskUsage> tasks_;  // by tid, and CPU of idle tasks
  std::map<u32, CpuTimes> cpus_;
};

}  // namespace peregrine
