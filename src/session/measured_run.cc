#include "session/measured_run.h"

#include <chrono>
#include <csignal>
#include <expected>
#include <optional>
#include <utility>

#include "capture/target/end_wait.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"

namespace peregrine {

namespace {

constexpr std::chrono::milliseconds kEndCheck{100};  // for kernels without pidfds

}  // namespace

void note_endless_run(SessionListener& listener) { listener.note("Measuring all CPUs; press Ctrl-C to stop"); }

Result<> run_measured(const std::vector<std::string>& command, SessionListener& listener,
                      const std::function<Result<>()>& begin, const std::function<Result<>()>& end,
                      std::chrono::milliseconds limit) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(command, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (!workload && limit.count() == 0) note_endless_run(listener);
  PEREGRINE_TRY(begin());
  watch->end_after(limit);
  if (workload) PEREGRINE_TRY(workload->let_go());
  PEREGRINE_TRY(wait_for_end(*watch, workload, {.period = workload ? kEndCheck : std::chrono::milliseconds(-1)}));
  PEREGRINE_TRY(end());
  if (!workload) return {};
  PEREGRINE_TRY(workload->exec_result());
  workload->wait();
  return {};
}

}  // namespace peregrine
