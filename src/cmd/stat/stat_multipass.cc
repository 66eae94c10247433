#include "cmd/stat/stat_multipass.h"

#include "base/text/counted.h"
#include "cmd/events/open_log.h"
#include "cmd/stat/stat_plan.h"
#include "cmd/stat/stat_printer.h"
#include "session/counting/multipass_count.h"

namespace peregrine::cmd {

namespace {

Result<> check_passes(const StatRequest& request, const Invocation& call) {
  auto usage = [](std::string_view what) { return fail(ErrorKind::Usage, "{}", what); };
  if (call.words.empty()) return usage("--multipass repeats a command, and none was given");
  if (request.interval_ms != 0 || request.recorded) return usage("--multipass cannot be used with -I or stat record");
  if (request.repeat == 0) return usage("--multipass ends by itself: -r 0 has no meaning there");
  if (request.control) return usage("--multipass cannot be used with --control");
  return {};
}

}  // namespace

Result<int> run_multipass(StatRequest& request, Invocation& call) {
  PEREGRINE_TRY(check_passes(request, call));
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool of_workload = plan->target.kind == TargetKind::Workload;
  warn_about_unmeasured_programs(*plan, {}, call);
  OpenLog log(call.config, call.messages, request.verbose > 1);
  plan->on_open = log.listener();
  MultipassCount passes(std::move(*plan), [&](const StatPlan& whole, EventList events) {
    return run_pass(whole, std::move(events), call.messages);
  });
  bool rounds = false;
  for (unsigned i = 0; i < request.repeat; ++i) {
    auto whole = passes.round();
    if (!whole) return std::unexpected(std::move(whole.error()));
    if (!*whole) break;
    rounds = true;
  }
  Sink out(destination->fd());
  StatPrinter printer(request, call.config, describe_target(request, call.words), of_workload, out);
  if (destination->is_file()) printer.start_time();
  const StatTable table = passes.table();
  if (rounds && !request.quiet) {
    printer.total(table, passes.workload());
    printer.finish(&table, passes.workload());
    const bool for_people = !request.separator && !request.json;
    if (for_people || (request.verbose > 0 && !request.json))
      out.format(" # {}, {} of the command{}\n\n", counted(passes.passes(), "pass", "passes"),
                 counted(passes.runs(), "run"),
                 passes.passes() == 1 ? "" : "; counts of different passes come from different runs");
  }
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  if (passes.ended_by() != 0) return 128 + passes.ended_by();
  return passes.workload() && passes.workload()->exited() ? passes.workload()->code() : 0;
}

}  // namespace peregrine::cmd
