// stat --multipass: repeats the command until each event was counted for the whole time of one run.
#pragma once
#include "cli/frame/command.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

// -r repeats all passes; the exit code is that of the last run.
Result<int> run_multipass(StatRequest& request, Invocation& call);

}  // namespace peregrine::cmd
