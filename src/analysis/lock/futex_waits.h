// FutexWaits: waits for locks of user space, from the calls of futex(2) in which threads sleep for them.
//
//   sys_enter_futex ──── asleep ────▶ sys_exit_futex ─▶ added to the row of the caller, the task or the lock
//
// By owner, waits are those for locks that a task had when another went to sleep for it: known of mutexes of glibc, and
// of locks with priority inheritance.
//
// The caller is the innermost function that does not belong to a standard library (C, C++, Rust). The library's
// functions tell what is waited for: a condition, a barrier, the end of a thread or being unparked are no locks, and
// left out. Times in ns. One thread.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "capture/scheduling/futex_owners.h"

namespace peregrine {

// "mutex", "rwlock:R", "condvar", … of a function of the C or C++ library; "" when its name does not tell.
std::string_view user_lock_type(std::string_view function);
// Whether a function is part of how that library implements its locks, wherever it is linked.
bool is_user_lock_code(std::string_view function);

class FutexWaits {
 public:
  explicit FutexWaits(const LockUsage::Request& request) : request_(request) {}

  struct Call {
    u32 tid = 0;
    u64 time = 0;
    u64 address = 0;  // of the word
    u32 pid = 0;
    std::optional<FutexOwner> owner = {};
  };
  // What a thread of the process is called at that moment.
  using ThreadName = std::function<std::string(u32 tid)>;
  // A thread goes to sleep. `callchain`: its user stack.
  void begin(const Call& call, const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver,
             const ThreadName& name_of = {});
  // It has returned from the call, whichever it was.
  void end(u32 tid, u64 time);
  // In no order.
  std::vector<LockRow> rows() const;

 private:
  struct Caller {
    u64 key = 0;
    std::string_view type;
    std::size_t frame = 0;  // place in frames_
  };
  Caller find_caller(Resolver& resolver);
  u64 key_of(const Call& call, const Caller& caller) const;
  std::string frame_text(std::size_t frame, Resolver& resolver) const;
  bool has_function(Resolver& resolver) const;  // one of those that were asked for

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
