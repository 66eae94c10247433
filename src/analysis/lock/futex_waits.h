// FutexWaits: waits for user-space locks, from the futex(2) calls in which threads sleep for them.
//
//   sys_enter_futex ──── asleep ────▶ sys_exit_futex ─▶ added to the row of the caller, the task or the lock
//
// With LockBy owner, waits are attributed to the task holding the lock when another went to sleep: known for glibc
// mutexes and priority-inheritance locks.
//
// The caller is the innermost function outside standard libraries (C, C++, Rust). The library functions reveal the kind
// of wait: conditions, barriers, thread exit and unparking are not locks and are ignored. Times in ns. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "base/types.h"
#include "capture/scheduling/futex_owners.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

// "mutex", "rwlock:R", "condvar", … for a function of the C or C++ library; "" if the name does not reveal it.
std::string_view user_lock_type(std::string_view function);
// Whether a function is part of a library's lock implementation, wherever it is linked.
bool is_user_lock_code(std::string_view function);

class FutexWaits {
 public:
  explicit FutexWaits(const LockUsage::Request& request) : request_(request) {}

  struct Call {
    u32 tid = 0;
    u64 time = 0;
    u64 address = 0;  // address of the futex
    u32 pid = 0;
    std::optional<FutexOwner> owner = {};
  };
  // Returns a thread's current name in the process.
  using ThreadName = std::function<std::string(u32 tid)>;
  // A thread goes to sleep. `callchain`: its user stack.
  void begin(const Call& call, const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver,
             const ThreadName& name_of = {});
  // The thread returned from whichever call it was in.
  void end(u32 tid, u64 time);
  // Unordered.
  std::vector<LockRow> rows() const;

 private:
  struct Caller {
    u64 key = 0;
    std::string_view type;
    std::size_t frame = 0;  // index in frames_
  };
  Caller find_caller(Resolver& resolver);
  u64 key_of(const Call& call, const Caller& caller) const;
  std::string frame_text(std::size_t frame, Resolver& resolver) const;
  bool has_function(Resolver& resolver) const;  // one of the requested locks

  LockUsage::Request request_;
  struct Sleeper {
    u64 since = 0, row = 0;
  };
  std::unordered_map<u32, Sleeper> sleepers_;  // by tid
  std::unordered_map<u64, LockRow> rows_;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
