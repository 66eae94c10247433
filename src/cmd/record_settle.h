// What `record` and `top` make of their options before anything is opened: whom they observe, and which events at which
// rate.
#pragma once
#include <string>
#include <vector>

#include "cmd/record_options.h"
#include "sys/limit.h"

namespace peregrine::cmd {

// Says what became of -p with -a and the like, as linux-perf does. Nobody chosen and no command: the whole machine.
void settle_target(RecordCommandOptions& options, Invocation& call);
// Events with their attrs, the default event where none was named. Warnings to show once are appended.
Result<> settle_events(RecordCommandOptions& options, const PerfLimits& limits, const Target& target, Invocation& call,
                       std::vector<std::string>& warnings);

}  // namespace peregrine::cmd
