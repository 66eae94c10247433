// The runs of `bench numa mem`: a plan completed and checked, the suite of --all, and what the tasks of a run did
// together.
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
// `base` with other numbers of tasks and sizes of memory; in the order in which they run.
std::vector<NamedNumaPlan> numa_suite(const NumaPlan& base);

struct NumaSummary {
  double slowest = 0, fastest = 0, mean = 0;  // seconds of a task
  double spread_percent = 0;                  // half the difference of slowest and fastest, of the slowest
  double bytes = 0, bytes_per_task = 0;
  double ns_per_byte = 0;                // in each task
  double speed = 0, speed_per_task = 0;  // bytes per ns, i.e. GB/s, over the time of the slowest
};
// `tasks` must not be empty. Quotients without a divisor are 0.
NumaSummary summarize(std::span<const NumaTask> tasks);

}  // namespace peregrine
