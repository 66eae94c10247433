// CpuUsageWatcher: measures inside the kernel, by BPF programs, how long tasks, interrupts, softirqs and nothing at all
// have each CPU. Nothing is recorded.
//
// A CPU is known from its first switch, interrupt or softirq on, until disable(). open → enable → disable → cpus(),
// tasks(). One thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Times in ns.
struct WatchedCpu {
  u32 cpu = 0;
  u64 total = 0, idle = 0, irq = 0, softirq = 0;
};

struct WatchedUsage {
  u32 tid = 0;
  u32 cpu = 0;  // of an idle task, which each CPU has
  std::string comm;
  u64 runtime = 0;
};

class CpuUsageWatcher {
 public:
  // `cpus`: empty: all. Errors: the kernel's; Unsupported, a CPU number is too high.
  static Result<CpuUsageWatcher> open(const std::vector<u32>& cpus);
  CpuUsageWatcher(CpuUsageWatcher&&) noexcept;
  CpuUsageWatcher& operator=(CpuUsageWatcher&&) noexcept;
  ~CpuUsageWatcher();

  Result<> enable();
  Result<> disable();
  // Those on which something happened, by number.
  std::vector<WatchedCpu> cpus() const;
  // By tid; idle tasks first.
  std::vector<WatchedUsage> tasks() const;
  u64 lost() const;  // time of tasks for which there was no room

 private:
  struct State;
  explicit CpuUsageWatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
