// stat: counts events over a command, processes, threads or CPUs, and shows the sums.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "capture/target/target.h"
#include "capture/target/workload.h"
#include "cli/frame/command.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/parts.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/stat/stat_check.h"
#include "cmd/stat/stat_destination.h"
#include "cmd/stat/stat_report.h"
#include "event/spec.h"
#include "output/sink.h"
#include "output/text/stat/versus_table.h"
#include "session/counting/command_comparison.h"
#include "session/counting/multipass_count.h"
#include "session/counting/plan/command_words.h"
#include "session/counting/plan/stat_latency.h"
#include "session/counting/plan/stat_plan.h"
#include "session/counting/plan/stat_ports.h"
#include "session/counting/plan/stat_request.h"
#include "session/counting/printed_runs.h"
#include "session/counting/stat_printer.h"
#include "session/counting/stat_session.h"
#include "session/events/metric_files.h"
#include "session/events/open_log.h"
#include "session/events/unmeasured_program.h"
#include "sys/kernel/smi_freeze.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

constexpr unsigned kDefaultPairs = 10;

// Ends as the signal would have ended us, so that an enclosing shell loop stops too.
int leave(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  return 128 + signal_number;
}

// The exit code of the last run, or that for the signal that ended the session.
int stat_exit_code(int ended_by, const std::optional<WorkloadExit>& workload) {
  if (ended_by != 0) return 128 + ended_by;
  return workload && workload->exited() ? workload->code() : 0;
}

// Ports go to stdout, unless -o or --log-fd says otherwise.
Result<int> show_ports(const StatOptions& options, Invocation& call) {
  const Root& root = options.request.sources.root();
  if (options.output.empty() && !options.log_fd) {
    PEREGRINE_TRY(list_ports(root, call.out));
    return 0;
  }
  auto destination = StatDestination::open(options);
  if (!destination) return std::unexpected(std::move(destination.error()));
  Sink out(destination->fd());
  out.set_file(options.output);
  PEREGRINE_TRY(list_ports(root, out));
  PEREGRINE_TRY(out.flush());
  return 0;
}

// Warns if the kernel does not allow the command to be measured, or the alternating one (`other`, empty: none). The
// kernel then closes the events of threads; those of CPUs continue.
void warn_about_programs(const StatPlan& plan, const std::string& other, const Invocation& call) {
  if (plan.target.kind != TargetKind::Workload || plan.command.empty() || plan.events.empty()) return;
  const std::string path(call.config.search_path());
  const std::string& program = plan.command.front();
  warn_about_unmeasured_program(program, path, call.messages);
  if (!other.empty() && other != program) warn_about_unmeasured_program(other, path, call.messages);
}

Result<int> compare_counts(StatOptions& options, Invocation& call) {
  auto other = split_command(options.versus);
  if (!other) return std::unexpected(std::move(other.error()));
  PEREGRINE_TRY(check_versus(options, *other));
  PEREGRINE_TRY(check_options(options, call.messages.program()));
  auto destination = StatDestination::open(options);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_stat_plan(options.request, call.messages);
  if (!plan) return std::unexpected(std::move(plan.error()));
  warn_about_programs(*plan, other->front(), call);
  OpenLog log(call.messages, options.verbose > 1, open_log_folder(call.config));
  plan->on_open = log.listener();
  // The subject is the command even if CPUs or other processes are counted: only the command differs.
  const StatStyle style = stat_style(options, fmt::format("'{}'", fmt::join(call.words, " ")), call.config);
  const CommandComparisonRequest request{.other = std::move(*other),
                                         .pairs = options.repeat_given ? options.request.runs.repeat : kDefaultPairs,
                                         .quiet = options.quiet,
                                         .lists_left_out = !options.separator && !options.json};
  const auto done = compare_commands(std::move(*plan), request, call.messages);
  if (!done) return std::unexpected(done.error());
  Sink out(destination->fd());
  out.set_file(options.output);
  const VersusTitle title{style.subject, fmt::format("'{}'", options.versus), done->versus.pairs(), style.thousands};
  if (!options.quiet && done->versus.pairs() > 0) print_comparison(title, done->versus, style, out);
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  return stat_exit_code(done->ended_by, std::nullopt);
}

Result<int> count_in_passes(StatOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_multipass(options));
  PEREGRINE_TRY(check_options(options, call.messages.program()));
  auto destination = StatDestination::open(options);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_stat_plan(options.request, call.messages);
  if (!plan) return std::unexpected(std::move(plan.error()));
  warn_about_programs(*plan, {}, call);
  OpenLog log(call.messages, options.verbose > 1, open_log_folder(call.config));
  plan->on_open = log.listener();
  StatStyle style = stat_style(options, stat_subject(options.request), call.config);
  style.of_workload = plan->target.kind == TargetKind::Workload;
  MultipassCount passes(std::move(*plan), [&](const StatPlan& whole, EventList events) {
    return run_pass(whole, std::move(events), call.messages);
  });
  auto any = passes.rounds(options.request.runs.repeat);
  if (!any) return std::unexpected(std::move(any.error()));
  Sink out(destination->fd());
  out.set_file(options.output);
  StatPrinter printer(std::move(style), out);
  if (destination->is_file()) printer.start_time();
  const StatTable table = passes.table();
  if (*any && !options.quiet) {
    printer.total(table, passes.workload());
    printer.finish(&table, passes.workload());
    if (!options.json && (!options.separator || options.verbose > 0))
      out.format(" # {}, {} of the command{}\n\n", counted(passes.passes(), "pass", "passes"),
                 counted(passes.runs(), "run"),
                 passes.passes() == 1 ? "" : "; different passes measured different runs");
  }
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  return stat_exit_code(passes.ended_by(), passes.workload());
}

Result<int> count_runs(StatOptions& options, Invocation& call) {
  StatRequest& request = options.request;
  PEREGRINE_TRY(check_options(options, call.messages.program()));
  auto destination = StatDestination::open(options);
  if (!destination) return std::unexpected(std::move(destination.error()));
  std::optional<SmiFreeze> freeze;
  if (request.metric.smi_cost) {
    auto engaged = SmiFreeze::engage(request.sources.root());
    if (!engaged) return std::unexpected(std::move(engaged.error()));
    freeze.emplace(std::move(*engaged));
  }
  auto plan = make_stat_plan(request, call.messages);
  if (!plan) return std::unexpected(std::move(plan.error()));
  warn_about_programs(*plan, {}, call);
  OpenLog log(call.messages, options.verbose > 1, open_log_folder(call.config));
  plan->on_open = log.listener();
  StatStyle style = stat_style(options, stat_subject(request), call.config);
  style.of_workload = plan->target.kind == TargetKind::Workload || request.port.of_command;
  auto session = StatSession::open(std::move(*plan), call.messages);
  if (!session) return std::unexpected(std::move(session.error()));

  Sink out(destination->fd());
  out.set_file(options.output);
  StatPrinter printer(std::move(style), out);
  if (destination->is_file()) printer.start_time();
  const PrintedRuns runs{.repeat = request.runs.repeat,
                         .quiet = options.quiet,
                         .causes = options.verbose > 0 || ::isatty(destination->fd()) != 0,
                         .has_totals = request.timing.interval_ms == 0 || options.summary};
  if (auto done = run_and_print(**session, printer, request.sources, runs); !done) {
    if (done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
      done.error().hint = nearest_program_hint(call.words.front(), program_places(call));
    return std::unexpected(std::move(done.error()));
  }
  if (!options.quiet && !options.separator && !options.json) tell_latencies(**session, call.messages);
  const std::optional<WorkloadExit> workload = (*session)->workload();
  const int ended_by = (*session)->ended_by();
  session->reset();
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  return ended_by != 0 ? leave(ended_by) : stat_exit_code(0, workload);
}

Result<int> count_events(StatOptions& options, Invocation& call) {
  StatRequest& request = options.request;
  request.runs.command = call.words;
  request.recording.path = options.output;
  request.recording.argv = call.argv;
  request.verbose = options.verbose > 0;
  request.metric.load = [&request, &call] { return load_metrics(request.sources.event_files, call.messages); };
  tell_problems(request.sources, call.messages);
  if (request.port.lists()) return show_ports(options, call);
  if (request.port.words) {
    PEREGRINE_TRY(check_ports(options));
    PEREGRINE_TRY(take_ports(request, call.messages));
  }
  if (!options.versus.empty()) return compare_counts(options, call);
  if (options.multipass) return count_in_passes(options, call);
  return count_runs(options, call);
}

constexpr Command kStatRecordPart{
    .name = "stat record", .summary = "Count events, and write the counts to a file", .passes_to = &kStat};

// `stat record` also accepts the options of `stat` after the word `record`.
Result<int> record_counts(StatOptions& options, std::span<const std::string> arguments, Invocation& call) {
  if (auto answered = answer_for(kStatRecordPart, arguments, call)) return std::move(*answered);
  auto parsed = parse_options(call.command.options, Words::StopAtFirst, arguments, &options, kOwner<StatOptions>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  call.words = std::move(parsed->words);
  options.request.recording.wanted = true;
  return count_events(options, call);
}

}  // namespace

Result<int> run_stat(StatOptions& options, Invocation& call) {
  if (call.words.empty() || (call.words[0] != "record" && call.words[0] != "report"))
    return count_events(options, call);
  const std::vector<std::string> arguments(call.words.begin() + 1, call.words.end());
  if (call.words[0] == "report") return run_stat_report(options, arguments, call);
  return record_counts(options, arguments, call);
}

}  // namespace peregrine::cmd
