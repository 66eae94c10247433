#include "cmd/events/measured_run.h"

namespace peregrine::cmd {

namespace {

constexpr std::chrono::milliseconds kEndCheck{100};  // for kernels without pidfds

}  // namespace

void note_endless_run(Messages& messages) { messages.note("Measuring all CPUs; press Ctrl-C to stop"); }

Result<> run_measured(Invocation& call, const std::function<Result<>()>& begin, const std::function<Result<>()>& end) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(call.words, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (!workload) note_endless_run(call.messages);
  PEREGRINE_TRY(begin());
  if (workload) PEREGRINE_TRY(workload->let_go());
  PEREGRINE_TRY(wait_for_end(*watch, workload, {.period = workload ? kEndCheck : std::chrono::milliseconds(-1)}));
  PEREGRINE_TRY(end());
  if (!workload) return {};
  PEREGRINE_TRY(workload->exec_result());
  workload->wait();
  return {};
}

Result<> wait_for_end(Watch& watch, std::optional<Workload>& workload, const EndWait& wait) {
  for (;;) {
    const auto seen = watch.wait(wait.period);
    if (!seen) return std::unexpected(seen.error());
    if (wait.look) wait.look();
    if (!workload) {
      if (!seen->signals.empty() || (wait.gone && wait.gone())) return {};
      continue;
    }
    if (seen->workload || workload->ended_now()) return {};
    if (!seen->signals.empty()) workload->send(seen->signals.back());
  }
}

}  // namespace peregrine::cmd
