#include "session/bench/opening_trial.h"

#include <unistd.h>

#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/run_stats.h"
#include "capture/sampling/recorder.h"
#include "event/config/record_config.h"
#include "event/syntax/parse.h"
#include "sys/process/limit.h"
#include "sys/root.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

// This process, unless the request names a target.
Result<Target> opened_target(const Root& root, TargetRequest request) {
  const bool empty = !request.system_wide && request.cpus.empty() && request.pids.empty() && request.tids.empty() &&
                     request.user.empty();
  if (empty) request.tids = std::to_string(::getpid());
  return make_target(root, request);
}

// Repeats the events `copies` times; groups do not extend into another copy.
EventList copies_of(const EventList& events, unsigned copies) {
  EventList all;
  for (unsigned i = 0; i < copies; ++i)
    for (EventSpec spec : events) {
      spec.leader += i * events.size();
      all.push_back(std::move(spec));
    }
  return all;
}

}  // namespace

Result<> run_event_opening(const OpeningTrialRequest& request, EventSources& sources, Sink& out) {
  const auto target = opened_target(sources.root(), request.target);
  if (!target) return std::unexpected(target.error());
  EventList chosen = request.events;
  if (chosen.empty()) PEREGRINE_TRY(parse_events("dummy", sources, chosen));
  EventList events = copies_of(chosen, request.copies);
  std::vector<std::string> warnings;
  SampledTarget sampled;
  sampled.system_wide = target->kind == TargetKind::Cpus;
  sampled.has_pids = !sampled.system_wide;
  sampled.per_thread = request.target.per_thread;
  PEREGRINE_TRY(configure_for_record(sampled, {}, events, warnings));
  const PerfLimits limits = perf_limits(sources.root());
  RunStats times;
  std::size_t descriptors = 0;
  for (unsigned i = 0; i < request.rounds; ++i) {
    const StopWatch watch;
    auto recorder = Recorder::open(events, *target, limits, 0, warnings);
    if (!recorder) return std::unexpected(std::move(recorder.error()));
    descriptors = recorder->matrix().open_count();
    PEREGRINE_TRY(recorder->matrix().enable());
    PEREGRINE_TRY(recorder->matrix().disable());
    {
      const Recorder closed = std::move(*recorder);
    }
    times.add(watch.seconds() * 1e6);
  }
  out.format("  Number of cpus:\t{}\n  Number of threads:\t{}\n  Number of events:\t{} ({} fds)\n", target->cpus.size(),
             target->threads.size(), events.size(), descriptors);
  out.format("  Number of iterations:\t{}\n  Average open-close took: {:.3f} usec (+- {:.3f} usec)\n", request.rounds,
             times.mean(), times.error());
  return {};
}

}  // namespace peregrine
