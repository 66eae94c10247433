#include "session/bench/numa_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "sys/hardware/memory.h"
#include "sys/root.h"
#include "trial/plan/numa_suite.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

void write_numa_plan(const NumaPlan& plan, std::size_t nodes, Sink& out) {
  const auto megabytes = [](u64 bytes) { return bytes >> 20; };
  out.format("\n ###\n # {} tasks will execute (on {} nodes, {} CPUs):\n", plan.tasks(), nodes, thread_count({}));
  out.format(" #      {:5}x {:5}MB global  shared mem operations\n", plan.loops, megabytes(plan.global));
  out.format(" #      {:5}x {:5}MB process shared mem operations\n", plan.loops,
             megabytes(plan.process + plan.process_locked));
  out.format(" #      {:5}x {:5}MB thread  local  mem operations\n ###\n\n ###\n #\n", plan.loops,
             megabytes(plan.thread));
}

struct NumaLine {
  double value;
  std::string_view unit, name, sentence;
};

void write_numa_results(std::string_view trial, const NumaResult& result, const NumaPlan& plan,
                        const NumaTrialRequest& request, Sink& out) {
  const NumaSummary sums = summarize(result.tasks);
  std::vector<NumaLine> lines;
  if (plan.until_converged)
    lines.push_back({result.converged, "secs,", "NUMA-convergence-latency", "secs latency to NUMA-converge"});
  lines.push_back({sums.slowest, "secs,", "runtime-max/thread", "secs slowest (max) thread-runtime"});
  lines.push_back({sums.fastest, "secs,", "runtime-min/thread", "secs fastest (min) thread-runtime"});
  lines.push_back({sums.mean, "secs,", "runtime-avg/thread", "secs average thread-runtime"});
  lines.push_back({sums.spread_percent, "%,", "spread-runtime/thread", "% difference between max/avg runtime"});
  lines.push_back({sums.bytes_per_task / 1e9, "GB,", "data/thread", "GB data processed, per thread"});
  lines.push_back({sums.bytes / 1e9, "GB,", "data-total", "GB data processed, total"});
  lines.push_back({sums.ns_per_byte, "nsecs,", "runtime/byte/thread", "nsecs/byte/thread runtime"});
  lines.push_back({sums.speed_per_task, "GB/sec,", "thread-speed", "GB/sec/thread speed"});
  lines.push_back({sums.speed, "GB/sec,", "total-speed", "GB/sec total speed"});
  for (const NumaLine& line : lines) {
    if (request.quiet)
      out.format(" {:14.3f} {}\n", line.value, line.sentence);
    else
      out.format(" {:<30} {:15.3f}, {:<15} {}\n", fmt::format("{},", trial), line.value, line.unit, line.name);
  }
  for (std::size_t i = 0; request.show_details && i < result.tasks.size(); ++i) {
    const NumaTask& task = result.tasks[i];
    out.format(" # process {:2} thread {:3}: node {}, {} rounds, {:.3f} GB in {:.3f} secs\n", i / plan.threads,
               i % plan.threads, task.node, task.rounds, static_cast<double>(task.bytes) / 1e9, task.seconds);
  }
}

Result<> run_numa_plan(std::string_view trial, const NumaPlan& plan, const NumaTrialRequest& request, Sink& out) {
  if (!request.quiet) write_numa_plan(plan, std::max<std::size_t>(numa_nodes(Root()).size(), 1), out);
  const auto started = [&](double seconds) {
    if (!request.quiet)
      out.format(" # Startup synchronization: ... threads initialized in {:.6f} seconds.\n #\n", seconds);
    static_cast<void>(out.flush());
  };
  const auto look = [&](double seconds, const std::vector<NumaTask>& tasks) {
    if (request.quiet) return;
    out.format(" # {:5.1f}%  [{:.1f} mins]", 100 * seconds / std::max(plan.seconds, 1u), seconds / 60);
    if (request.show_convergence) out.format("  {} nodes too many", stray_nodes(plan, tasks));
    out.append("\n");
    static_cast<void>(out.flush());
  };
  const auto result = run_numa_memory(plan, started, look);
  if (!result) return std::unexpected(result.error());
  if (!request.quiet) out.append(" ###\n\n");
  write_numa_results(trial, *result, plan, request, out);
  return {};
}

}  // namespace

Result<> run_numa(const NumaTrialRequest& request, Sink& out) {
  NumaPlan plan = request.plan;
  PEREGRINE_TRY(settle(plan));
  if (!request.all) {
    out.append("\n # Running main\n");
    return run_numa_plan("main", plan, request, out);
  }
  for (const NamedNumaPlan& each : numa_suite(plan)) {
    out.format("\n # Running {}\n", each.name);
    PEREGRINE_TRY(run_numa_plan(each.name, each.plan, request, out));
  }
  return {};
}

}  // namespace peregrine
