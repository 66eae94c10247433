// Turns the options of stat into the plan of a StatSession: targets, events and aggregation.
#pragma once
#include "cli/frame/command.h"
#include "cmd/stat/stat_options.h"
#include "session/counting/stat_session.h"

namespace peregrine::cmd {

// Errors (Usage): options that exclude each other.
Result<> check_consistency(const StatRequest& request, const Invocation& call);

// Errors: a target that is not there, events that cannot be counted.
Result<StatPlan> make_plan(StatRequest& request, const Invocation& call);

// Warns where the kernel will not let the plan's command be measured, or the one that begins with `other` (empty:
// none), which takes its place in some runs. It closes the events of threads; those of CPUs go on.
void warn_about_unmeasured_programs(const StatPlan& plan, const std::string& other, Invocation& call);

}  // namespace peregrine::cmd
