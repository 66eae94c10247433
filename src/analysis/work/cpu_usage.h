// CpuUsage: how long tasks, interrupts, softirqs and idle used each CPU.
//
//   switch in ── task ── irq ── task ── softirq ── task ──▶ switch out      the task is not charged for either
//
// An interrupt inside a softirq counts only as interrupt. A CPU is accounted from its first to its last switch; the
// recording does not cover what ran before and after. After lost events the last task is assumed to keep running. Times
// in ns. One state per task and CPU; memory does not grow with the recording.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct TaskUsage {
  u32 tid = 0;
  u32 cpu = 0;  // for idle tasks, since each CPU has one
  std::string comm;
  u64 runtime = 0;
};

struct CpuTimes {
  u64 total = 0, idle = 0, irq = 0, softirq = 0;
  u64 busy() const { return total - idle; }
};

// The data of the page.
struct CpuUsageTable {
  std::map<u32, CpuTimes> cpus;  // by number
  std::vector<TaskUsage> tasks;  // tasks that ran, by tid; idle tasks first
  CpuTimes all() const;
};

class CpuUsage : public TracepointSink {
 public:
  explicit CpuUsage(const data::Reader& reader, std::string name = {});  // `name`: show only tasks with this name as
                                                                         // rows

  CpuUsageTable table() const;
  Result<> outcome() const override;

 private:
  // What currently uses the CPU.
  struct Course {
    bool known = false;
    u64 since = 0;  // the last change
    u32 tid = 0;
    unsigned irqs = 0, softirqs = 0;  // nesting
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void charge(u32 cpu, Course& course, u64 time);
  TaskUsage& task(u32 tid, u32 cpu);

  std::string name_;
  std::map<u32, Course> courses_;                   // by CPU
  std::map<std::pair<u32, u32>, TaskUsage> tasks_;  // by tid, and CPU for idle tasks
  std::map<u32, CpuTimes> cpus_;
};

}  // namespace peregrine
