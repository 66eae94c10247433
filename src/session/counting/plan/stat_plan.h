// Makes the plan of a StatSession from a StatRequest: target, events, metrics and aggregation.
#pragma once
#include <string>

#include "base/result.h"
#include "session/counting/plan/stat_request.h"
#include "session/counting/stat_session.h"
#include "session/session_listener.h"

namespace peregrine {

// Completes the request and takes over its control channel. Errors: the target does not exist, or events cannot be
// counted.
Result<StatPlan> make_stat_plan(StatRequest& request, SessionListener& listener);

// The counted target for the title: "'true'", "'system wide'", "process id '1'".
std::string stat_subject(const StatRequest& request);

}  // namespace peregrine
