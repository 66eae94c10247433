// LiveSource: samples of the running system as a growing recording: a sampling session, and the reader of its
// output.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"
#include "data/reader/reader.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/live/live_session.h"
#include "session/record/record_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct LiveSource {
  std::unique_ptr<LiveSession> session;
  data::Reader reader;
  std::size_t cpus = 0;  // of the target
};

// Starts sampling. `sources` must outlive the session. Errors: as RecordingPlan; events cannot be
// opened.
Result<LiveSource> open_live_source(const RecordRequest& request, EventSources& sources, EventList events,
                                    SessionListener& listener);

// Calls `print`, which locks the session's mutex, every `seconds` and once after the recording has ended. Stops the
// session in any case. Errors: those of `print` and of the recording.
Result<> print_until_end(LiveSession& session, double seconds, const std::function<Result<>()>& print);

}  // namespace peregrine
