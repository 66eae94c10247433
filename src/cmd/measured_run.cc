#include "cmd/measured_run.h"

#include <optional>

#include "capture/watch.h"
#include "capture/workload.h"

namespace peregrine::cmd {

namespace {

constexpr std::chrono::milliseconds kEndCheck{100};  // for kernels without pidfds

}  // namespace

Result<> run_measured(Invocation& call, const std::function<Result<>()>& begin, const std::function<Result<>()>& end) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(call.words, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (!workload) call.messages.note("Measuring all CPUs; press Ctrl-C to stop");
  PEREGRINE_TRY(begin());
  if (workload) PEREGRINE_TRY(workload->let_go());
  for (bool running = true; running;) {
    const auto seen = watch->wait(workload ? kEndCheck : std::chrono::milliseconds(-1));
    if (!seen) return std::unexpected(seen.error());
    running = workload ? !seen->workload && !workload->ended_now() : seen->signals.empty();
    // The command decides whether it ends.
    if (running && !seen->signals.empty()) workload->send(seen->signals.back());
  }
  PEREGRINE_TRY(end());
  if (!workload) return {};
  PEREGRINE_TRY(workload->exec_result());
  workload->wait();
  return {};
}

}  // namespace peregrine::cmd
