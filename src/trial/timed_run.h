// run_timed: threads that repeat the same work for some seconds; returns how often each did it.
//
// All start together; each is bound to a CPU in turn, unless disabled.
#pragma once
#include <atomic>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// More threads are rejected: most systems cannot start them, and each benchmark has a row per thread.
inline constexpr unsigned kMostThreads = 1u << 16;

struct TimedPlan {
  unsigned threads = 0;  // 0: number of CPUs
  unsigned seconds = 10;
  bool bound = true;
};

unsigned thread_count(const TimedPlan& plan);
// Binds the calling thread to one of its allowed CPUs, modulo their number.
void bind_to_cpu(unsigned number);

using TimedWork = std::function<u64(unsigned thread, const std::atomic<bool>& stop)>;
// Runs `work` in each thread until `stop` becomes true; returns the results. Then calls `end`, for threads that are
// waiting. Errors: System.
Result<std::vector<u64>> run_timed(const TimedPlan& plan, const TimedWork& work, const std::function<void()>& end = {});

}  // namespace peregrine
