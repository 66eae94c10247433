#include "session/lock/lock_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <expected>
#include <utility>

#include "analysis/lock/lock_sums.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/target/end_wait.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "session/lock/futex_watcher.h"
#include "session/measured_run.h"
#include "sys/process/cgroup.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::chrono::milliseconds kLockTargetCheck{100};
constexpr std::chrono::milliseconds kRingCheck{20};  // a ring holds several thousand waits

// Polling interval: drains rings and checks whether watched threads have ended.
EndWait lock_wait(const Target& target, std::optional<FutexWatcher>& futexes) {
  EndWait wait{.period = futexes ? kRingCheck : kLockTargetCheck};
  if (futexes) wait.look = [&futexes] { futexes->drain(false); };
  if (target.kind == TargetKind::Threads)
    wait.gone = [&target] {
      return std::ranges::none_of(target.threads, [](Pid thread) { return status_of(Root(), thread).has_value(); });
    };
  return wait;
}

Result<std::optional<FutexWatcher>> watch_futexes(LockSessionRequest& request, std::optional<Pid> workload,
                                                  SessionListener& listener) {
  if (request.user_locks == UserLocks::No) return std::nullopt;
  auto opened = FutexWatcher::open(request.target, workload, request.rows, std::move(request.user_places));
  if (opened) return std::optional(std::move(*opened));
  if (request.user_locks == UserLocks::Yes) return std::unexpected(std::move(opened.error()));
  listener.note(fmt::format("user-space locks are not shown: {}", opened.error().message), opened.error().hint);
  return std::nullopt;
}

// A removed cgroup has no name any more.
void name_cgroups(std::vector<LockRow>& rows) {
  const Root root;
  for (LockRow& row : rows) {
    row.name = unified_cgroup_name(root, row.key);
    if (row.name.empty()) row.name = fmt::format("cgroup {}", row.key);
  }
}

void warn_about_lost_waits(const LockWatcher& watcher, SessionListener& listener) {
  const LockWatcher::Lost lost = watcher.lost();
  if (lost.waits != 0)
    listener.warning(fmt::format("{} not counted: too many distinct waits (raise --map-nr-entries)",
                                 counted(lost.waits, "wait was", "waits were")));
  if (lost.stacks != 0)
    listener.warning(
        fmt::format("{} no callers: too many distinct stacks", counted(lost.stacks, "wait has", "waits have")));
  if (lost.tasks != 0)
    listener.warning(fmt::format("{} could not be followed", counted(lost.tasks, "new task", "new tasks")));
}

}  // namespace

Result<WatchedLocks> watch_locks(LockSessionRequest request, Machine& kernel, SessionListener& listener) {
  Target& target = request.target;
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(request.command, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (workload && target.kind == TargetKind::Workload) target.set_workload(workload->pid());
  const bool at_exec = target.kind == TargetKind::Workload;
  // Checked first: without kernel locks nothing is shown, and a note about user-space locks would only distract.
  auto watcher = LockWatcher::open(request.watch, target, at_exec, perf_limits(Root()));
  if (!watcher) return std::unexpected(std::move(watcher.error()));
  auto futexes = watch_futexes(request, at_exec ? std::optional(workload->pid()) : std::nullopt, listener);
  if (!futexes) return std::unexpected(std::move(futexes.error()));
  if (!at_exec) PEREGRINE_TRY(watcher->enable());
  if (!at_exec && *futexes) PEREGRINE_TRY((*futexes)->start());
  if (workload) PEREGRINE_TRY(workload->let_go());
  if (!workload && request.whole_system && request.limit.count() == 0) note_endless_run(listener);
  watch->end_after(request.limit);
  PEREGRINE_TRY(wait_for_end(*watch, workload, lock_wait(target, *futexes)));
  PEREGRINE_TRY(watcher->disable());
  if (workload) {
    PEREGRINE_TRY(workload->exec_result());
    workload->wait();
  }
  warn_about_lost_waits(*watcher, listener);
  if (!request.watch.delays.empty() && watcher->injected_delays() == 0)
    listener.warning("no delay was injected: no task acquired the lock after a wait");
  WatchedLocks watched{lock_rows(watcher->waits(), request.rows, kernel), std::nullopt};
  if (request.rows.by == LockBy::Cgroup) name_cgroups(watched.kernel);
  if (!*futexes) return watched;
  PEREGRINE_TRY((*futexes)->stop());
  (*futexes)->drain(true);
  if (const u64 lost = (*futexes)->lost(); lost != 0)
    listener.warning(
        fmt::format("{} lost: some waits are not shown", counted(lost, "futex(2) call was", "futex(2) calls were")));
  watched.user = (*futexes)->rows();
  const bool empty = std::ranges::all_of(*watched.user, [](const LockRow& row) { return row.total == 0; });
  if (empty && request.user_locks == UserLocks::WherePossible) watched.user.reset();
  return watched;
}

}  // namespace peregrine
