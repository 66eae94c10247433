// inject --vm-time-correlation: replaces the times in a guest's Intel PT traces by the host's, in place.
#pragma once
#include <string>

#include "cli/frame/command.h"
#include "pipeline/decode/intel_pt/vm_times.h"

namespace peregrine::cmd {

// The exit code.
Result<int> correlate_vm_times(const std::string& input, const VmTimeOptions& options, bool force, Invocation& call);

}  // namespace peregrine::cmd
