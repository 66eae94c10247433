// Benchmarks of futex(2): look-up, waking, requeuing and locking. The texts are linux-perf's.
#pragma once
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

struct FutexTrialRequest {
  bool simple = false;
  bool shared = false;       // shared between processes instead of private
  bool silent = false;       // print only the mean
  bool lock_memory = false;  // mlockall(2)
  bool multiple = false;     // lock-pi: one lock per thread
  bool all_at_once = false;  // requeue: all threads in one call
  bool priorities = false;   // requeue: to a priority-inheritance lock
  unsigned threads = 0;      // 0: one per CPU
  unsigned seconds = 10;     // hash, lock-pi
  unsigned words = 1024;     // hash: futexes per thread
  unsigned at_once = 1;      // wake, requeue: threads per call
  unsigned wakers = 0;       // wake-parallel: number of waking threads; 0: as many as wait
};

// Errors of all: System, memory cannot be locked or threads cannot be started.
Result<> run_futex_lookups(const FutexTrialRequest& request, Sink& out);  // Usage: no futexes
Result<> run_futex_lock_pairs(const FutexTrialRequest& request, Sink& out);
Result<> run_futex_wakes(const FutexTrialRequest& request, Sink& out);
// Usage: the waiting threads cannot be divided evenly among the waking threads.
Result<> run_futex_parallel_wakes(const FutexTrialRequest& request, Sink& out);
Result<> run_futex_requeues(const FutexTrialRequest& request, Sink& out);

}  // namespace peregrine
