// Retire latencies in `stat` (modifier R): decides if they are sampled while the other events count, and reports
// problems.
#pragma once
#include "cli/frame/message.h"
#include "session/counting/stat_session.h"

namespace peregrine::cmd {

struct StatRequest;

// For StatPlan::sample_latencies. Warns where the request asks for what this processor does not measure, and where an
// event counts as 0.
bool samples_latencies(const StatRequest& request, const EventList& events, Messages& messages);

// After the runs: how many samples there were, or that this processor gave none. Says nothing to programs.
void tell_latencies(const StatRequest& request, const StatSession& session, Messages& messages);

}  // namespace peregrine::cmd
