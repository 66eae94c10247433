// Retire latencies in `stat` (modifier R): decides if they are sampled while the other events count, and reports
// problems.
#pragma once
#include "event/spec.h"
#include "session/counting/plan/stat_request.h"
#include "session/counting/stat_session.h"
#include "session/session_listener.h"

namespace peregrine {

// For StatPlan::sample_latencies. Warns where the request asks for what this processor does not measure, and where an
// event counts as 0.
bool samples_latencies(const StatRequest& request, const EventList& events, SessionListener& listener);

// After the runs: tells the number of samples, or that this processor gave none. Nothing if none were requested.
void tell_latencies(const StatSession& session, SessionListener& listener);

}  // namespace peregrine
