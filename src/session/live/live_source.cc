#include "session/live/live_source.h"

#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "session/record/recording_plan.h"

namespace peregrine {

Result<LiveSource> open_live_source(const RecordRequest& request, EventSources& sources, EventList events,
                                    SessionListener& listener) {
  RecordingPlan plan(request, sources.root(), listener);
  PEREGRINE_TRY(plan.find_target());
  PEREGRINE_TRY(plan.configure(sources, std::move(events)));
  std::vector<std::string> warnings = std::move(plan.warnings());
  auto session = LiveSession::start(sources.root(), request.recording, plan.target(), plan.take_events(), sources);
  if (!session) return std::unexpected(std::move(session.error()));
  auto reader = data::Reader::open_fd((*session)->take_data(), "live samples");
  PEREGRINE_TRY((*session)->opened());
  if (!reader) return std::unexpected(std::move(reader.error()));
  warnings.insert(warnings.end(), (*session)->warnings().begin(), (*session)->warnings().end());
  for (const std::string& warning : warnings) listener.verbatim(warning.ends_with('\n') ? warning : warning + "\n");
  return LiveSource{std::move(*session), std::move(*reader), plan.target().cpus.size()};
}

Result<> print_until_end(LiveSession& session, double seconds, const std::function<Result<>()>& print) {
  const auto print_again = [&]() -> Result<> {
    for (bool running = true; running;) {
      const auto slept = session.wait(seconds);
      if (!slept) return std::unexpected(slept.error());
      running = *slept;
      PEREGRINE_TRY(print());
    }
    return {};
  };
  const Result<> printed = print_again();
  const Result<> stopped = session.stop();  // even after an error: until then its thread uses the caller's variables
  return printed ? stopped : printed;
}

}  // namespace peregrine
