// stat --vs: runs two commands alternately and shows which counts differ.
#pragma once
#include "analysis/stat/stat_versus.h"
#include "cli/frame/command.h"
#include "cmd/stat/stat_options.h"

namespace peregrine::cmd {

// Runs both -r times (10 unless said) after one run of each to warm up, and prints the comparison; the exit code.
Result<int> run_versus(StatRequest& request, Invocation& call);

// Warns of the events of the runs (`total`) that have no row: those not supported here, and those not counted in every
// run, unless the table itself lists them as left out.
void warn_about_missing_rows(const StatTable& total, const StatVersus& versus, bool lists_left_out, Messages& messages);

}  // namespace peregrine::cmd
