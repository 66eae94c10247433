#include "session/record/record_session.h"

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/target/target.h"
#include "event/attr_text.h"
#include "event/spec.h"
#include "session/events/unmeasured_program.h"
#include "session/record/recording_report.h"

namespace peregrine {

Result<> RecordSession::configure(EventList events) {
  PEREGRINE_TRY(plan_.configure(sources_, std::move(events)));
  PEREGRINE_TRY(plan_.check());
  if (request_.verbose == 0) return {};
  for (const EventSpec& spec : plan_.events())
    if (spec.filters_addresses) listener_.note(fmt::format("Address filter: {}", *spec.filter));
  return {};
}

void RecordSession::show_attrs(const EventList& events) const {
  if (request_.verbose == 0) return;
  for (const EventSpec& spec : events) listener_.note(fmt::format("{}: {}", spec.name, attr_text(spec.attr)));
}

void RecordSession::say(std::string_view text) const {
  if (!request_.quiet) listener_.verbatim(text);
}

Result<> RecordSession::start(RecordingHooks hooks) {
  plan_.warn_about_small_files();
  const std::vector<std::string>& command = request_.recording.run.command;
  if (plan_.target().kind == TargetKind::Workload && !command.empty())
    warn_about_unmeasured_program(command.front(), request_.search_path, listener_);
  log_.emplace(listener_, request_.verbose > 1, request_.opened_folder);
  hooks.say = [this](std::string_view text) { say(text); };
  hooks.on_open = log_->listener();
  controlled_ = hooks.control.has_value();
  std::vector<std::string> warnings = std::move(plan_.warnings());
  auto recording = Recording::start(sources_.root(), request_.recording, plan_.target(), plan_.take_events(), sources_,
                                    std::move(hooks), warnings);
  for (const std::string& warning : warnings) say(warning.ends_with('\n') ? warning : warning + "\n");
  if (!recording) return std::unexpected(std::move(recording.error()));
  recording_.emplace(std::move(*recording));
  show_attrs(recording_->events());
  return {};
}

Result<RecordingSummary> RecordSession::run() {
  Recording recording = std::move(*recording_);
  recording_.reset();
  auto summary = recording.run();
  if (!summary) return std::unexpected(std::move(summary.error()));
  report_recording(sources_.root(), request_, recording.events(), controlled_, *summary, listener_);
  return summary;
}

}  // namespace peregrine
