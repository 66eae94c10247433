// inject --vm-time-correlation: puts the host's times into a guest's Intel PT traces, where the recording is.
#pragma once
#include <string>

#include "cmd/command.h"
#include "pipeline/decode/vm_times.h"

namespace peregrine::cmd {

// The exit code.
Result<int> correlate_vm_times(const std::string& input, const VmTimeOptions& options, bool force, Invocation& call);

}  // namespace peregrine::cmd
