// WorkWatcher: measures with BPF programs how long interrupts, softirqs and workqueue items run, or how long they wait
// after being raised, on all CPUs or some. Nothing is recorded.
//
//   raise ──delay──▶ entry ──runtime──▶ exit       summed per piece of work and CPU
//
// open → enable → disable → work(), raises(). One thread.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Hint for when the kernel refuses the programs of this class or CpuUsageWatcher.
constexpr std::string_view kKernelWorkNeeds =
    "requires Linux 5.5 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF and CAP_PERFMON; `perf kwork record` requires "
    "less";

struct WorkWatchRequest {
  bool delays = false;                             // else runtimes
  std::array<bool, 3> kinds = {true, true, true};  // irqs, softirqs, workqueue items
  std::vector<u32> cpus;                           // empty: all
};

// Times are CLOCK_MONOTONIC, in ns.
struct WatchedWork {
  u32 kind = 0;      // as in WorkWatchRequest::kinds
  u32 cpu = 0;       // meaningless for a raise
  u64 id = 0;        // irq number, softirq vector, or item address
  u64 function = 0;  // address; for items only
  std::string name;  // name of the irq handler
  u64 count = 0, total = 0, most = 0, most_from = 0, most_until = 0;
  u64 events = 0, first = 0, last = 0;
  u64 missed_entries = 0, missed_exits = 0;  // entries and exits without their counterpart
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
  // Raised but not begun: kind, id and function are valid.
  std::vector<WatchedWork> raises() const;
  u64 lost() const;  // events that did not fit in the table

 private:
  struct State;
  explicit WorkWatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
