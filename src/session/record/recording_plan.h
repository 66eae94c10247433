// RecordingPlan: turns a request into what to open: the CPUs and threads of the target, and events with their attrs.
//
//   RecordingPlan plan(request, root, listener);
//   PEREGRINE_TRY(plan.find_target());
//   PEREGRINE_TRY(plan.configure(sources, std::move(events)));     // opens nothing
//   PEREGRINE_TRY(plan.check());                                   // for recordings to a file
//   Recording::start(root, request.recording, plan.target(), plan.take_events(), …)
//
// `request` and `listener` must outlive this.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/target/target.h"
#include "event/config/record_config.h"
#include "event/source.h"
#include "event/spec.h"
#include "session/record/record_request.h"
#include "session/session_listener.h"
#include "sys/process/limit.h"
#include "sys/root.h"

namespace peregrine {

class RecordingPlan {
 public:
  RecordingPlan(const RecordRequest& request, const Root& root, SessionListener& listener);

  // Resolves the target; the whole machine if the request has neither a target nor a command. If parts of the request
  // exclude each other (-p with -a), the stronger one wins, with linux-perf's warning. Errors: the target does not
  // exist, or --latency or --per-cpu cannot sample it.
  Result<> find_target();
  const Target& target() const { return target_; }

  // Gives `events` their attrs; adds the default event if the list is empty. Errors (Usage): invalid rates, or events
  // that the target or the request excludes.
  Result<> configure(EventSources& sources, EventList events);
  const EventList& events() const { return events_; }
  EventList take_events() { return std::move(events_); }
  // Notes to show once, e.g. about adjusted rates.
  std::vector<std::string>& warnings() { return warnings_; }

  // Call after configure(). Errors: events or a target that the kernel would reject less clearly.
  Result<> check() const;
  // Warns if the files of --switch-output will be larger than requested.
  void warn_about_small_files() const;

 private:
  void choose_target();
  void override_target(std::string_view text);
  Result<> choose_whole_cpus();
  Result<> limit_rates();
  void lower_default_rate();
  Result<> check_events_of_whole_cpus() const;

  const RecordRequest& request_;
  Root root_;
  SessionListener& listener_;
  PerfLimits limits_;
  TargetRequest chosen_;  // the request's target without the overridden parts
  Target target_;
  RecordConfig config_;  // the request's configuration with the rates that the kernel allows
  EventList events_;
  std::vector<std::string> warnings_;
};

}  // namespace peregrine
