// stat --vs: runs two commands alternately and shows which counts differ.
#pragma once
#include "cmd/frame/command.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

// Runs both -r times (10 unless said) after one run of each to warm up, and prints the comparison; the exit code.
Result<int> run_versus(StatRequest& request, Invocation& call);

}  // namespace peregrine::cmd
