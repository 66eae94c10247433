// RecordSession: one run of `record`, from a request to a finished recording and a report about it.
//
//   RecordSession session(request, sources, listener);
//   PEREGRINE_TRY(session.find_target());
//   PEREGRINE_TRY(session.configure(std::move(events)));  // opens nothing: --dry-run ends here
//   PEREGRINE_TRY(session.start({.control = …}));
//   auto summary = session.run();
//
// All arguments of the constructor must outlive the session. One thread.
#pragma once
#include <optional>
#include <string_view>

#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/recording/recording.h"
#include "session/events/open_log.h"
#include "session/record/record_request.h"
#include "session/record/recording_plan.h"
#include "session/session_listener.h"

namespace peregrine {

class RecordSession {
 public:
  RecordSession(const RecordRequest& request, EventSources& sources, SessionListener& listener)
      : request_(request), sources_(sources), listener_(listener), plan_(request, sources.root(), listener) {}

  // Errors: as RecordingPlan::find_target().
  Result<> find_target() { return plan_.find_target(); }
  // Errors: as RecordingPlan::configure() and check().
  Result<> configure(EventList events);
  // Opens the events and the output. The session adds `say` and `on_open` to the hooks. Errors: as Recording::start().
  Result<> start(RecordingHooks hooks);
  // Records until the end and reports it; then closes the events. Errors: as Recording::run().
  Result<RecordingSummary> run();

 private:
  void say(std::string_view text) const;
  void show_attrs(const EventList& events) const;

  const RecordRequest& request_;
  EventSources& sources_;
  SessionListener& listener_;
  RecordingPlan plan_;
  std::optional<OpenLog> log_;
  bool controlled_ = false;
  std::optional<Recording> recording_;
};

}  // namespace peregrine
