// stat --multipass: the command runs as often as it takes for each event to have a counter all the time of some run.
#pragma once
#include "cmd/command.h"
#include "cmd/stat_options.h"

namespace peregrine::cmd {

// -r repeats all passes; the exit code is that of the last run.
Result<int> run_multipass(StatRequest& request, Invocation& call);

}  // namespace peregrine::cmd
