// run_and_print: performs all runs of a stat session, and prints each interval and the totals as they arrive.
#pragma once
#include "base/result.h"
#include "event/source.h"
#include "session/counting/stat_printer.h"
#include "session/counting/stat_session.h"

namespace peregrine {

struct PrintedRuns {
  unsigned repeat = 1;     // runs; 0: until a signal arrives, with the totals so far after each run
  bool quiet = false;      // print nothing
  bool causes = false;     // also print why rows have no count
  bool has_totals = true;  // print the distributions of the whole run, not only of intervals
};

// Errors: those of a run.
Result<> run_and_print(StatSession& session, StatPrinter& printer, EventSources& sources, const PrintedRuns& request);

}  // namespace peregrine
