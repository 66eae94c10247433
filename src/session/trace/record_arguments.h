// The arguments of `record` that produce the samples of a trace: for `trace record`, and for traces that BPF programs
// cannot make (sampled_trace.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "capture/target/target.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

// The events of the trace and their sampling, without a target.
std::vector<std::string> event_arguments(const TraceRequest& request);
// The target; `workload`: the command's process, if it is the only target. Without a target: all CPUs.
std::vector<std::string> target_arguments(const TargetRequest& target, std::optional<Pid> workload);

}  // namespace peregrine
