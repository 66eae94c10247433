// LockWatcher: sums up inside the kernel, by a BPF program, how long tasks wait for its locks: nothing is recorded.
//
//   contention_begin ──── wait ────▶ contention_end ─▶ added to the waits of the same caller, task, owner or lock
//
// Waits that have not ended count for nothing. Life as that of other counters: open → enable, or the workload's exec →
// disable → waits. One thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "capture/target/target.h"
#include "sys/process/limit.h"

namespace peregrine {

enum class LockWaitsBy : u8 { Caller, Task, Owner, Lock, Cgroup };

struct LockWatchRequest {
  LockWaitsBy by = LockWaitsBy::Caller;
  u32 most_kinds = 10240;  // of waits that are told apart
  // Only these; none: all. At most 16 of each.
  std::vector<u32> types;    // flags of contention_begin
  std::vector<u64> locks;    // addresses
  std::vector<u64> cgroups;  // ids
  // Who gets one of these locks after a wait keeps it that much longer.
  struct Delay {
    u64 lock = 0, ns = 0;
  };
  std::vector<Delay> delays;
};

struct LockWaits {
  u64 lock = 0;
  u64 cgroup = 0;  // id; known where waits are told apart by it
  u32 tid = 0;     // ~0 of an owner that is not known
  std::string comm;
  u32 flags = 0;
  u64 count = 0, total = 0, most = 0, least = 0;  // ns
  std::vector<u64> frames;  // of the first wait, innermost first, with those of the tracing itself
};

class LockWatcher {
 public:
  // `at_exec`: begins when the workload's exec has worked. Errors: the kernel's; Usage, too many filters.
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
