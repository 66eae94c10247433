// Retire latencies in `stat` (modifier R): decides whether they are sampled while the other events count, and reports
// problems.
#pragma once
#include "event/spec.h"
#include "session/counting/plan/stat_request.h"
#include "session/counting/stat_session.h"
#include "session/session_listener.h"

namespace peregrine {

// Returns StatPlan::sample_latencies. Warns if the request needs something that this processor does not measure, and if
// an event counts as 0.
bool samples_latencies(const StatRequest& request, const EventList& events, SessionListener& listener);

// Call after the runs: reports the number of samples, or that this processor gave none. Does nothing if none were
// requested.
void tell_latencies(const StatSession& session, SessionListener& listener);

}  // namespace peregrine
