// WorkWatcher: measures inside the kernel, by BPF programs, how long interrupts, softirqs and items of workqueues run,
// or how long they wait after they were raised, on all CPUs or some. Nothing is recorded.
//
//   raise ──delay──▶ entry ──runtime──▶ exit       added up per piece of work and CPU
//
// open → enable → disable → work(), raises(). One thread.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

// Told where the kernel refuses the programs of this and CpuUsageWatcher.
constexpr std::string_view kKernelWorkNeeds =
    "it needs linux 5.5 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF with CAP_PERFMON; `kwork record` needs less";

struct WorkWatchRequest {
  bool delays = false;                             // else runtimes
  std::array<bool, 3> kinds = {true, true, true};  // irqs, softirqs, items of workqueues
  std::vector<u32> cpus;                           // empty: all
};

// Times are CLOCK_MONOTONIC, in ns.
struct WatchedWork {
  u32 kind = 0;      // as in WorkWatchRequest::kinds
  u32 cpu = 0;       // meaningless for a raise
  u64 id = 0;        // number of the irq, vector of the softirq, address of the item
  u64 function = 0;  // address; of an item
  std::string name;  // of an irq's handler
  u64 count = 0, total = 0, most = 0, most_from = 0, most_until = 0;
  u64 events = 0, first = 0, last = 0;
  u64 missed_entries = 0, missed_exits = 0;  // entries and exits without what comes before or after
};

class WorkWatcher {
 public:
  // Errors: the kernel's; Unsupported, a CPU number is too high.
  static Result<WorkWatcher> open(const WorkWatchRequest& request);
  WorkWatcher(WorkWatcher&&) noexcept;
  WorkWatcher& operator=(WorkWatcher&&) noexcept;
  ~WorkWatcher();

  Result<> enable();
  Result<> disable();
  std::vector<WatchedWork> work() const;
  // Raised and not begun: kind, id and function are valid.
  std::vector<WatchedWork> raises() const;
  u64 lost() const;  // events for which there was no room

 private:
  struct State;
  explicit WorkWatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
