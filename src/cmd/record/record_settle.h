// Evaluates the options of `record` and `top` before anything is opened: targets, events and sampling
// rates.
#pragma once
#include <string>
#include <vector>

#include "cmd/record/record_options.h"
#include "sys/process/limit.h"

namespace peregrine::cmd {

// Says what became of -p with -a and the like, as linux-perf does. Nobody chosen and no command: the whole machine.
void settle_target(RecordCommandOptions& options, Invocation& call);
// --per-cpu: the target becomes the whole machine. Errors: options that it does not go with.
Result<> settle_per_cpu(RecordCommandOptions& options, const Invocation& call);
// Errors: events that --per-cpu cannot sample.
Result<> check_per_cpu(const RecordCommandOptions& options);
// --latency. Errors (Usage): the target is CPUs.
Result<> settle_latency(RecordCommandOptions& options);
// Events with their attrs, the default event where none was named. Warnings to show once are appended.
Result<> settle_events(RecordCommandOptions& options, const PerfLimits& limits, const Target& target, Invocation& call,
                       std::vector<std::string>& warnings);

}  // namespace peregrine::cmd
