// FutexOwners: who owns the locks of user space that threads go to sleep for, by a BPF program at sys_enter_futex.
//
//   open() ─▶ collect(), find(), find(), … ─▶ collect(), …
//
// A priority-inheritance futex has the owner's tid in its word, glibc's mutexes have it behind the word (__owner). The
// tids are those of the program's own PID namespace. One thread.
#pragma once
#include <memory>
#include <optional>

#include "event/spec.h"

namespace peregrine {

struct FutexOwner {
  u32 in_word = 0;   // of a futex with priority inheritance; 0: of another, or nobody
  u32 in_mutex = 0;  // what a mutex of glibc would have as its owner; garbage where the word is not of one
};

class FutexOwners {
 public:
  // `enter`: the event syscalls:sys_enter_futex; where in its record the arguments uaddr and op are. Errors: the
  // kernel's.
  static Result<FutexOwners> open(const EventSpec& enter, u32 address_at, u32 operation_at);
  FutexOwners(FutexOwners&&) noexcept;
  FutexOwners& operator=(FutexOwners&&) noexcept;
  ~FutexOwners();

  // Takes what the kernel has told so far. To be called after the calls themselves were read: the program runs first.
  void collect();
  // Of a call by CLOCK_MONOTONIC; forgets the thread's earlier ones. Nothing: it was lost, or not readable.
  std::optional<FutexOwner> find(u32 tid, u64 time, u64 address);

 private:
  struct State;
  explicit FutexOwners(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace peregrine
