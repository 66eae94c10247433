// CpuUsageWatcher: measures with BPF programs how long tasks, interrupts, softirqs and idle use each CPU. Nothing is
// recorded.
//
// A CPU is accounted from its first switch, interrupt or softirq until disable(). open → enable → disable → cpus(),
// tasks(). One thread.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

struct cpu_course;  // the BPF program's data for a CPU

namespace peregrine {

// Times in ns.
struct WatchedCpu {
  u32 cpu = 0;
  u64 total = 0, idle = 0, irq = 0, softirq = 0;
};

struct WatchedUsage {
  u32 tid = 0;
  u32 cpu = 0;  // for idle tasks, since each CPU has one
  std::string comm;
  u64 runtime = 0;
};

using UsageByTask = std::map<std::pair<u32, u32>, WatchedUsage>;  // by tid and, for idle tasks, CPU

// The times of a CPU that was accounted until then. Charges the span since its last change to whatever occupies it,
// since no event follows that would do so.
WatchedCpu end_course(const cpu_course& course, u32 cpu, u64 until, UsageByTask& tasks);

class CpuUsageWatcher {
 public:
  // `cpus`: empty for all. Errors: the kernel's; Unsupported, a CPU number is too high.
  static Result<CpuUsageWatcher> open(const std::vector<u32>& cpus);
  CpuUsageWatcher(CpuUsageWatcher&&) noexcept;
  CpuUsageWatcher& operator=(CpuUsageWatcher&&) noexcept;
  ~CpuUsageWatcher();

  Result<> enable();
  Result<> disable();
  // CPUs with any activity, by number.
  std::vector<WatchedCpu> cpus() const;
  // By tid; idle tasks first.
  std::vector<WatchedUsage> tasks() const;
  u64 lost() const;  // time of tasks that did not fit in the table

 private:
  struct State;
  explicit CpuUsageWatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
