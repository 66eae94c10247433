#include "session/counting/printed_runs.h"

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

Result<> run_and_print(StatSession& session, StatPrinter& printer, EventSources& sources, const PrintedRuns& request) {
  const auto show_interval = [&](const StatTable& table, u64 since_start_ns) {
    if (request.quiet) return;
    printer.interval(table, since_start_ns);
    printer.distributions(session.interval_distributions(), since_start_ns);
  };
  const auto show_total = [&] {
    if (request.quiet) return;
    if (const StatTable* total = session.total(); total != nullptr) {
      printer.total(*total, session.workload());
      if (request.causes) printer.causes(*total, session.errors(), sources);
    }
    if (request.has_totals) printer.distributions(session.distributions());
    if (request.repeat != 0) printer.finish(session.total(), session.workload());
    printer.flush();
  };
  PEREGRINE_TRY(session.repeat(request.repeat, show_interval, show_total));
  session.tell_ended_runs();
  if (request.repeat != 0)
    show_total();
  else if (!request.quiet)
    printer.finish(session.total(), session.workload());
  return {};
}

}  // namespace peregrine
