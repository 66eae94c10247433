// Turns the options of stat into the plan of a StatSession: targets, events and aggregation.
#pragma once
#include "cmd/frame/command.h"
#include "cmd/stat/stat_options.h"
#include "session/counting/stat_session.h"

namespace peregrine::cmd {

// Errors (Usage): options that exclude each other.
Result<> check_consistency(const StatRequest& request, const Invocation& call);

// Errors: a target that is not there, events that cannot be counted.
Result<StatPlan> make_plan(StatRequest& request, const Invocation& call);

}  // namespace peregrine::cmd
