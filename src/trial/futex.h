// Trials of futex(2): looking up many of them, waking and moving threads that wait, locks that hand on priority.
//
// The words that threads wait at are the caller's, so that it can say where they are; they lie still while a trial
// runs.
#pragma once
#include <span>
#include <vector>

#include "trial/timed_run.h"

namespace peregrine {

struct FutexKind {
  bool is_shared = false;  // between processes, which costs a look at what is mapped
};

// Waits that end at once, since the word has another value than they want: what finding a futex costs. A list of words
// for each thread.
Result<std::vector<u64>> run_futex_hash(const TimedPlan& plan, FutexKind kind, std::vector<std::vector<u32>>& words);

// Locks and unlocks; a word for all threads, or one for each.
Result<std::vector<u64>> run_futex_locks(const TimedPlan& plan, FutexKind kind, std::vector<u32>& words);

struct FutexWaiters {
  unsigned threads = 0;
  unsigned at_once = 1;     // how many one call wakes or moves
  bool priorities = false;  // requeue: to a lock that hands on priority
};
struct FutexWoken {
  unsigned woken = 0, moved = 0;
  double seconds = 0;
};
// One thread wakes those that wait at `word`.
Result<FutexWoken> run_futex_wake(const FutexWaiters& waiters, FutexKind kind, u32& word);
// One thread moves those that wait at `from` to `to`.
Result<FutexWoken> run_futex_requeue(const FutexWaiters& waiters, FutexKind kind, u32& from, u32& to);
// Several wake `at_once` each, at the same time; what each of them needed.
Result<std::vector<FutexWoken>> run_futex_parallel(const FutexWaiters& waiters, unsigned wakers, FutexKind kind,
                                                   u32& word);

}  // namespace peregrine
