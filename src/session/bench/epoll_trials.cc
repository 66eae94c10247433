#include "session/bench/epoll_trials.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stat/run_stats.h"
#include "base/fd.h"
#include "base/types.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

// Completes the plan. If there is a writer thread, one CPU is reserved for it, if there is more than one.
Result<EpollPlan> settled_plan(const EpollTrialRequest& request, bool with_writer) {
  EpollPlan plan = request.plan;
  if (plan.timed.threads == 0) plan.timed.threads = std::max(1u, thread_count(plan.timed) - (with_writer ? 1 : 0));
  plan.timed.bound = !request.unbound;
  plan.blocking = !request.nonblocking;
  if (plan.files == 0) return fail(ErrorKind::Usage, "--nfds must be at least 1");
  return plan;
}

void write_nesting(const EpollPlan& plan, Sink& out) {
  if (plan.nesting > 0) out.format("Nesting level(s): {}\n", plan.nesting);
}

std::string address_range(const std::vector<Fd>& files) {
  return fmt::format("fdmap: {} ... {}", fmt::ptr(&files.front()), fmt::ptr(&files.back()));
}

}  // namespace

Result<> run_epoll_waiting(const EpollTrialRequest& request, Sink& out) {
  const auto plan = settled_plan(request, true);
  if (!plan) return std::unexpected(plan.error());
  if (request.verbose > 0) {
    out.format("Using {} queue model\n", plan->one_each ? "multi" : "single");
    write_nesting(*plan, out);
  }
  const auto files = open_epoll_files(*plan);
  if (!files) return std::unexpected(files.error());
  const TimedPlan& timed = plan->timed;
  out.format("Run summary [PID {}]: {} threads monitoring{} on {} file-descriptors for {} secs.\n\n", ::getpid(),
             timed.threads, plan->edge ? " (ET)" : "", plan->files, timed.seconds);
  static_cast<void>(out.flush());
  const auto seen = run_epoll_wait(*plan, *files);
  if (!seen) return std::unexpected(seen.error());
  RunStats rates;
  for (std::size_t i = 0; i < seen->size(); ++i) {
    const u64 rate = (*seen)[i] / std::max(timed.seconds, 1u);
    rates.add(static_cast<double>(rate));
    out.format("[thread {:>2}] {} [ {} ops/sec ]\n", i, address_range((*files)[i]), rate);
  }
  out.format("\nAveraged {} operations/sec (+- {:.2f}%), total secs = {}\n", static_cast<u64>(rates.mean()),
             rates.error_percent(), timed.seconds);
  return {};
}

Result<> run_epoll_changing(const EpollTrialRequest& request, Sink& out) {
  const auto plan = settled_plan(request, false);
  if (!plan) return std::unexpected(plan.error());
  if (request.verbose > 0) write_nesting(*plan, out);
  const auto files = open_epoll_files(*plan);
  if (!files) return std::unexpected(files.error());
  const TimedPlan& timed = plan->timed;
  out.format("Run summary [PID {}]: {} threads doing epoll_ctl ops {} file-descriptors for {} secs.\n\n", ::getpid(),
             timed.threads, plan->files, timed.seconds);
  static_cast<void>(out.flush());
  const auto counts = run_epoll_changes(*plan, *files);
  if (!counts) return std::unexpected(counts.error());
  RunStats stats[3];
  for (std::size_t i = 0; i < counts->size(); ++i) {
    const auto& count = (*counts)[i];
    for (unsigned which = 0; which < 3; ++which) stats[which].add(static_cast<double>(count[which]));
    out.format("[thread {:>2}] {} [ add: {} ops; mod: {} ops; del: {} ops ]\n", i, address_range((*files)[i]),
               count[kAdded], count[kModified], count[kRemoved]);
  }
  out.append("\n");
  constexpr std::string_view kNames[] = {"ADD", "MOD", "DEL"};
  for (unsigned which = 0; which < 3; ++which)
    out.format("Averaged {} {} operations (+- {:.2f}%)\n", static_cast<u64>(stats[which].mean()), kNames[which],
               stats[which].error_percent());
  return {};
}

}  // namespace peregrine
