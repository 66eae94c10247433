// The kernel tracer's settings for a FtraceRequest.
#pragma once
#include <string>
#include <vector>

#include "analysis/function/text_pairs.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "capture/tracer/tracer_session.h"
#include "session/ftrace/ftrace_request.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

// Threads of a command that has not started yet are missing. Errors: Usage, an unknown option in --func-opts or
// --graph-opts, an invalid size, not exactly one function for latency; NotFound, no such tracepoint.
Result<TracerPlan> tracer_plan(const FtraceRequest& request, const Target& target, const Tracefs& tracefs);

// The two events of `latency -e`.
TextPairRequest event_pair(const FtraceRequest& request, const TracerPlan& plan);

// The traceable functions that match the glob. Errors: Denied, NotFound.
Result<std::vector<std::string>> traceable_functions(const Tracefs& tracefs, const std::string& glob);

}  // namespace peregrine
