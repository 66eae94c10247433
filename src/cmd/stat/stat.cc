// stat: counts events over a command, processes, threads or CPUs, and shows the sums.
#include <signal.h>

#include <cstring>

#include "cli/frame/nearest_file.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/events/open_log.h"
#include "cmd/stat/stat_latency.h"
#include "cmd/stat/stat_multipass.h"
#include "cmd/stat/stat_plan.h"
#include "cmd/stat/stat_printer.h"
#include "cmd/stat/stat_report.h"
#include "cmd/stat/stat_versus.h"
#include "sys/kernel/smi_freeze.h"

namespace peregrine::cmd {

namespace {

Result<> run_all(StatSession& session, const StatRequest& request, const StatSession::OnInterval& on_interval,
                 const std::function<void()>& after_each) {
  for (unsigned run = 0; request.repeat == 0 || run < request.repeat; ++run) {
    PEREGRINE_TRY(session.run(on_interval));
    if (request.repeat == 0) after_each();
    if (session.ended_by() != 0) break;
  }
  return {};
}

// Ends as the signal would have ended us, so that a shell loop around us stops too.
int leave(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  return 128 + signal_number;
}

// To stdout, unless something else is said.
Result<int> show_ports(const StatRequest& request, Invocation& call) {
  const bool elsewhere = !request.output.empty() || request.log_fd;
  if (!elsewhere) {
    PEREGRINE_TRY(list_ports(request.sources.root(), call.out));
    return 0;
  }
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  Sink out(destination->fd());
  PEREGRINE_TRY(list_ports(request.sources.root(), out));
  PEREGRINE_TRY(out.flush());
  return 0;
}

Result<int> count_events(StatRequest& request, Invocation& call) {
  tell_problems(request.sources, call.messages);
  if (request.port.lists()) return show_ports(request, call);
  if (request.port.words) PEREGRINE_TRY(take_ports(request, call));
  if (!request.versus.empty()) return run_versus(request, call);
  if (request.multipass) return run_multipass(request, call);
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  std::optional<SmiFreeze> freeze;
  if (request.metric.smi_cost) {
    auto engaged = SmiFreeze::engage(request.sources.root());
    if (!engaged) return std::unexpected(std::move(engaged.error()));
    freeze.emplace(std::move(*engaged));
  }
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const bool of_workload = plan->target.kind == TargetKind::Workload || request.port.of_command;
  warn_about_unmeasured_programs(*plan, {}, call);
  OpenLog log(call.config, call.messages, request.verbose > 1);
  plan->on_open = log.listener();
  auto session = StatSession::open(std::move(*plan), call.messages);
  if (!session) return std::unexpected(std::move(session.error()));

  Sink out(destination->fd());
  StatPrinter printer(request, call.config, describe_target(request, call.words), of_workload, out);
  if (destination->is_file()) printer.start_time();
  auto on_interval = [&](const StatTable& table, u64 since_start_ns) {
    if (request.quiet) return;
    printer.interval(table, since_start_ns);
    printer.distributions((*session)->interval_distributions(), since_start_ns);
  };
  const bool for_people = request.verbose > 0 || ::isatty(destination->fd()) != 0;
  auto show_total = [&] {
    const StatTable* total = (*session)->total();
    if (total != nullptr && !request.quiet) {
      printer.total(*total, (*session)->workload());
      if (for_people) printer.causes(*total, (*session)->errors(), !request.sources.core_pmus().empty());
    }
    if (!request.quiet && (request.interval_ms == 0 || request.summary))
      printer.distributions((*session)->distributions());
    if (!request.quiet && request.repeat != 0) printer.finish(total, (*session)->workload());
    static_cast<void>(out.flush());
  };
  if (auto done = run_all(**session, request, on_interval, show_total); !done) {
    if (done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
      done.error().hint = nearest_program_hint(call.words.front(), call.config.variable("PATH").value_or(""));
    return std::unexpected(std::move(done.error()));
  }

  const std::optional<WorkloadExit> workload = (*session)->workload();
  const int ended_by = (*session)->ended_by();
  const bool cut_short = request.interval_count != 0;  // ended by us, as asked
  if (workload && workload->signal() != 0 && !cut_short)
    call.messages.verbatim(fmt::format("{}: {}\n", call.words.front(), strsignal(workload->signal())));
  if (request.repeat != 0)
    show_total();
  else if (!request.quiet)
    printer.finish((*session)->total(), workload);
  tell_latencies(request, **session, call.messages);
  session->reset();
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  if (ended_by != 0) return leave(ended_by);
  return workload && workload->exited() ? workload->code() : 0;
}

}  // namespace

Result<int> run_stat(StatRequest& request, Invocation& call) {
  if (call.words.empty() || (call.words[0] != "record" && call.words[0] != "report"))
    return count_events(request, call);
  const std::vector<std::string> arguments(call.words.begin() + 1, call.words.end());
  if (call.words[0] == "report") return run_stat_report(request, arguments, call);
  // `stat record` knows the same options behind the word as `stat` itself.
  auto parsed = parse_options(call.command.options, Words::StopAtFirst, arguments, &request, kOwner<StatRequest>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked != Asked::Run) return answer(call, *parsed);
  call.words = std::move(parsed->words);
  request.recorded = true;
  return count_events(request, call);
}

}  // namespace peregrine::cmd
