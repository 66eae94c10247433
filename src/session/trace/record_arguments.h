// The arguments of `record` that make the samples of a trace: for `trace record`, and for traces that no BPF program
// can make (sampled_trace.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "capture/target/target.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

// The events of the trace and how they are sampled, without a target.
std::vector<std::string> event_arguments(const TraceRequest& request);
// Whom to sample; `workload`: the process of the command, if it alone is the target. Without any choice: all CPUs.
std::vector<std::string> target_arguments(const TargetRequest& target, std::optional<Pid> workload);

}  // namespace peregrine
