// LockWatcher: aggregates with a BPF program how long tasks wait for kernel locks. Nothing is recorded.
//
//   contention_begin ──── wait ────▶ contention_end ─▶ added to the waits of the same caller, task, owner or lock
//
// Unfinished waits are not counted. Lifecycle: open → enable, or the workload's exec → disable → waits. One thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "sys/process/limit.h"

namespace peregrine {

enum class LockWaitsBy : u8 { Caller, Task, Owner, Lock, Cgroup };

struct LockWatchRequest {
  LockWaitsBy by = LockWaitsBy::Caller;
  u32 most_kinds = 10240;  // limit of distinct kinds of waits
  // Only these; empty for all. At most 16 of each.
  std::vector<u32> types;    // flags of contention_begin
  std::vector<u64> locks;    // addresses
  std::vector<u64> cgroups;  // ids
  // Whoever gets this lock after a wait holds it that much longer.
  struct Delay {
    u64 lock = 0, ns = 0;
  };
  std::vector<Delay> delays;
};

struct LockWaits {
  u64 lock = 0;
  u64 cgroup = 0;  // id; only if waits are separated by it
  u32 tid = 0;     // ~0 for an unknown owner
  std::string comm;
  u32 flags = 0;
  u64 count = 0, total = 0, most = 0, least = 0;  // ns
  std::vector<u64> frames;                        // of the first wait, innermost first, including the tracer's own
};

class LockWatcher {
 public:
  // `at_exec`: starts when the workload's exec succeeds. Errors: the kernel's; Usage, too many filters.
  static Result<LockWatcher> open(const LockWatchRequest& request, const Target& target, bool at_exec,
                                  const PerfLimits& limits);
  LockWatcher(LockWatcher&&) noexcept;
  LockWatcher& operator=(LockWatcher&&) noexcept;
  ~LockWatcher();

  Result<> enable();
  Result<> disable();
  std::vector<LockWaits> waits() const;

  struct Lost {
    u64 waits = 0, stacks = 0, tasks = 0;
  };
  Lost lost() const;
  u64 injected_delays() const;

 private:
  struct State;
  explicit LockWatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
