#include "trial/plan/numa_suite.h"

#include <algorithm>
#include <utility>

#include "base/types.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

struct SuiteRow {
  std::string_view name;
  unsigned processes, threads;  // 0: number of CPUs
  unsigned megabytes_process, megabytes_thread;
  bool until_converged;
};
constexpr SuiteRow kSuite[] = {{"1x1-local-memory", 1, 1, 0, 256, false}, {"1xN-local-memory", 1, 0, 0, 64, false},
                               {"Nx1-local-memory", 0, 1, 0, 64, false},  {"1x2-convergence", 1, 2, 256, 0, true},
                               {"2x2-convergence", 2, 2, 256, 0, true},   {"1xN-shared-memory", 1, 0, 256, 0, false},
                               {"2xN-shared-memory", 2, 0, 256, 0, false}};

}  // namespace

Result<> settle(NumaPlan& plan) {
  if (plan.processes == 0) return fail(ErrorKind::Usage, "invalid --nr_proc: must be at least 1");
  if (plan.threads == 0) plan.threads = thread_count({});
  if (plan.threads > kMostThreads / plan.processes)
    return fail(ErrorKind::Usage, "{} processes with {} threads each exceed the maximum of {} threads", plan.processes,
                plan.threads, kMostThreads);
  return {};
}

std::vector<NamedNumaPlan> numa_suite(const NumaPlan& base) {
  const auto count = [](unsigned number) { return number != 0 ? number : thread_count({}); };
  std::vector<NamedNumaPlan> suite;
  for (const SuiteRow& row : kSuite) {
    NumaPlan plan = base;
    plan.processes = count(row.processes);
    plan.threads = count(row.threads);
    plan.global = 0;
    plan.process = u64{row.megabytes_process} << 20;
    plan.thread = u64{row.megabytes_thread} << 20;
    plan.until_converged = row.until_converged;
    suite.push_back({row.name, std::move(plan)});
  }
  return suite;
}

NumaSummary summarize(std::span<const NumaTask> tasks) {
  NumaSummary sums;
  double seconds = 0;
  sums.fastest = tasks.front().seconds;
  for (const NumaTask& task : tasks) {
    seconds += task.seconds;
    sums.slowest = std::max(sums.slowest, task.seconds);
    sums.fastest = std::min(sums.fastest, task.seconds);
    sums.bytes += static_cast<double>(task.bytes);
  }
  const auto count = static_cast<double>(tasks.size());
  sums.mean = seconds / count;
  sums.bytes_per_task = sums.bytes / count;
  if (sums.bytes_per_task > 0) sums.ns_per_byte = sums.slowest * 1e9 / sums.bytes_per_task;
  if (sums.slowest > 0) {
    sums.spread_percent = 100 * (sums.slowest - sums.fastest) / sums.slowest / 2;
    sums.speed_per_task = sums.bytes_per_task / sums.slowest / 1e9;
    sums.speed = sums.bytes / sums.slowest / 1e9;
  }
  return sums;
}

}  // namespace peregrine
