// FutexWaits: waits for locks of user space, from the calls of futex(2) in which threads sleep for them.
//
//   sys_enter_futex ──── asleep ────▶ sys_exit_futex ─▶ added to the row of the caller, the task or the lock
//
// The caller is the innermost function that does not belong to a standard library (C, C++, Rust). The library's
// functions tell what is waited for: a condition, a barrier, the end of a thread or being unparked are no locks, and
// left out. Times in ns. One thread.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lock/lock_usage.h"

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
  };
  // A thread goes to sleep. `callchain`: its user stack.
  void begin(const Call& call, const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver);
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
  std::string frame_text(std::size_t frame, Resolver& resolver) const;

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
