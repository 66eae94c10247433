// report_recording(): reports on a finished recording: losses by cause with advice, samples missing for other reasons,
// and linux-perf's lines about its size.
#pragma once
#include "event/spec.h"
#include "pipeline/recording/recording.h"
#include "session/record/record_request.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// `events`: as opened. `controlled`: another program could disable them temporarily.
void report_recording(const Root& root, const RecordRequest& request, const EventList& events, bool controlled,
                      const RecordingSummary& summary, SessionListener& listener);

}  // namespace peregrine
