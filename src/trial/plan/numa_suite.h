// The runs of `bench numa mem`: completes and checks a plan, expands the suite of --all, and sums up the tasks of a
// run.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trial/numa_memory.h"

namespace peregrine {

// Sets the number of threads, if it is 0. Errors: Usage, no processes, or more than kMostThreads tasks.
Result<> settle(NumaPlan& plan);

struct NamedNumaPlan {
  std::string_view name;
  NumaPlan plan;
};
// Variants of `base` with different numbers of tasks and memory sizes, in execution order.
std::vector<NamedNumaPlan> numa_suite(const NumaPlan& base);

struct NumaSummary {
  double slowest = 0, fastest = 0, mean = 0;  // seconds of a task
  double spread_percent = 0;                  // half the difference between slowest and fastest, relative to the
                                              // slowest
  double bytes = 0, bytes_per_task = 0;
  double ns_per_byte = 0;                // in each task
  double speed = 0, speed_per_task = 0;  // bytes per ns, i.e. GB/s, over the time of the slowest
};
// `tasks` must not be empty. Quotients without a divisor are 0.
NumaSummary summarize(std::span<const NumaTask> tasks);

}  // namespace peregrine
