// Shared by `mem record` and `c2c record`: the events that sample data accesses.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "session/memory/access_choice.h"

namespace peregrine::cmd {

// Calls record with these arguments, the events, and the user's arguments (`rest`); or lists the events. `verbose`:
// print the arguments. Errors: Usage; Unsupported, this machine has no such events.
Result<int> record_accesses(const AccessRecording& recording, std::vector<std::string> arguments,
                            std::span<const std::string> rest, bool verbose, Invocation& call);

}  // namespace peregrine::cmd
