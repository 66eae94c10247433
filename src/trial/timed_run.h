// run_timed: threads that do the same for some seconds, and how often each of them did it.
//
// All begin together; each is bound to a CPU of its own, in turn, unless that is not wanted.
#pragma once
#include <atomic>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// More threads than this are refused: most systems do not start them, and each trial keeps a row for each.
inline constexpr unsigned kMostThreads = 1u << 16;

struct TimedPlan {
  unsigned threads = 0;  // 0: as many as there are CPUs
  unsigned seconds = 10;
  bool bound = true;
};

unsigned thread_count(const TimedPlan& plan);
// Binds the calling thread to one of the CPUs that it may run on, counted round.
void bind_to_cpu(unsigned number);

using TimedWork = std::function<u64(unsigned thread, const std::atomic<bool>& stop)>;
// What `work` returns in each thread, once `stop` has become true. `end` is called behind that, for threads that wait.
// Errors: System.
Result<std::vector<u64>> run_timed(const TimedPlan& plan, const TimedWork& work, const std::function<void()>& end = {});

}  // namespace peregrine
