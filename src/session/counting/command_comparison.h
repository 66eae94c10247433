// compare_commands: counts two commands alternately and reports which counts differ, for stat --vs.
//
//   plan ──▶ StatSession ──one run each──▶ PairedRuns ──▶ StatVersus ──▶ print_comparison
#pragma once
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "analysis/stat/stat_versus.h"
#include "base/result.h"
#include "output/sink.h"
#include "output/text/stat/versus_table.h"
#include "session/counting/stat_printer.h"
#include "session/counting/stat_session.h"
#include "session/session_listener.h"

namespace peregrine {

struct CommandComparisonRequest {
  std::vector<std::string> other;  // the command to compare with the plan's command
  unsigned pairs = 10;             // runs of each, after one warm-up run of each
  bool quiet = false;              // do not warn about events that cannot be compared
  bool lists_left_out = false;     // the output lists the events that were not counted in every run
};

struct CommandComparison {
  StatVersus versus;
  int ended_by = 0;  // the signal that ended the runs early; 0: none
};

// Errors: those of a run.
Result<CommandComparison> compare_commands(StatPlan plan, const CommandComparisonRequest& request,
                                           SessionListener& listener);

// Warns about events of the runs (`total`) without a row: those that are not supported, and those that were not counted
// in every run, unless the table lists them itself.
void warn_about_missing_rows(const StatTable& total, const StatVersus& versus, bool lists_left_out,
                             SessionListener& listener);

// Prints it in the format of the style.
void print_comparison(const VersusTitle& title, const StatVersus& versus, const StatStyle& style, Sink& out);

}  // namespace peregrine
