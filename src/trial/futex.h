// futex(2) benchmarks: hash lookups, wake-ups and requeues of waiting threads, priority-inheritance locks.
//
// The caller owns the futex words, so that it can show their addresses; they must not move during a run.
#pragma once
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "trial/timed_run.h"

namespace peregrine {

struct FutexKind {
  bool is_shared = false;  // between processes, which requires looking up the mapping
};

// Waits that return at once because the value differs: the cost of finding a futex. One list of words per thread.
Result<std::vector<u64>> run_futex_hash(const TimedPlan& plan, FutexKind kind, std::vector<std::vector<u32>>& words);

// Locks and unlocks; one word for all threads, or one per thread.
Result<std::vector<u64>> run_futex_locks(const TimedPlan& plan, FutexKind kind, std::vector<u32>& words);

struct FutexWaiters {
  unsigned threads = 0;
  unsigned at_once = 1;     // how many threads one call wakes or moves
  bool priorities = false;  // requeue to a priority-inheritance lock
};
struct FutexWoken {
  unsigned woken = 0, moved = 0;
  double seconds = 0;
};
// One thread wakes those waiting at `word`.
Result<FutexWoken> run_futex_wake(const FutexWaiters& waiters, FutexKind kind, u32& word);
// One thread moves those waiting at `from` to `to`.
Result<FutexWoken> run_futex_requeue(const FutexWaiters& waiters, FutexKind kind, u32& from, u32& to);
// Several threads wake `at_once` each, concurrently; returns each one's result.
Result<std::vector<FutexWoken>> run_futex_parallel(const FutexWaiters& waiters, unsigned wakers, FutexKind kind,
                                                   u32& word);

}  // namespace peregrine
