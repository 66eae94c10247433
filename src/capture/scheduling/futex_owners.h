// FutexOwners: finds the owners of user-space locks that threads block on, with a BPF program at sys_enter_futex.
//
//   open() ─▶ collect(), find(), find(), … ─▶ collect(), …
//
// A priority-inheritance futex has the owner's tid in its word, glibc's mutexes have it after the word (__owner). The
// tids are in the pid namespace of the observed program. One thread.
#pragma once
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

struct FutexOwner {
  u32 in_word = 0;   // owner of a priority-inheritance futex; 0 if none or another kind
  u32 in_mutex = 0;  // the owner if the word belongs to a glibc mutex, else garbage
};

class FutexOwners {
 public:
  // `enter`: the event syscalls:sys_enter_futex; the offsets of its arguments uaddr and op in the record. Errors: the
  // kernel's.
  static Result<FutexOwners> open(const EventSpec& enter, u32 address_at, u32 operation_at);
  FutexOwners(FutexOwners&&) noexcept;
  FutexOwners& operator=(FutexOwners&&) noexcept;
  ~FutexOwners();

  // Takes what the kernel has reported so far. Call after reading the calls themselves: the program runs first.
  void collect();
  // Looks up a call by CLOCK_MONOTONIC time; forgets the thread's earlier ones. Nothing if lost or unreadable.
  std::optional<FutexOwner> find(u32 tid, u64 time, u64 address);

 private:
  struct State;
  explicit FutexOwners(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
