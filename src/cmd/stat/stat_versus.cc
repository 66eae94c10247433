#include "cmd/stat/stat_versus.h"

#include <algorithm>

#include "cli/frame/version.h"
#include "cmd/events/open_log.h"
#include "cmd/stat/command_words.h"
#include "cmd/stat/stat_plan.h"
#include "cmd/stat/stat_printer.h"
#include "output/csv/versus_csv.h"
#include "output/json/stat_lines.h"
#include "output/json/versus_json.h"
#include "output/text/stat/versus_table.h"
#include "session/counting/paired_runs.h"

namespace peregrine::cmd {

namespace {

constexpr unsigned kDefaultPairs = 10;

Result<> check_versus(const StatRequest& request, const Invocation& call, const std::vector<std::string>& other) {
  auto usage = [](std::string_view what) { return fail(ErrorKind::Usage, "{}", what); };
  if (call.words.empty()) return usage("--vs compares with a command: stat --vs 'OTHER COMMAND' COMMAND");
  if (other.empty()) return usage("--vs needs another command");
  if (request.repeat_given && request.repeat < 2) return usage("--vs needs two runs of each command or more (-r)");
  if (request.interval_ms != 0 || request.recorded) return usage("--vs cannot be used with -I or stat record");
  if (request.multipass) return usage("--vs cannot be used with --multipass");
  if (request.aggregation != StatAggregation::Global)
    return usage("--vs compares sums over everything, not single places");
  if (request.metric.only.value_or(false))
    return usage("--vs shows counts and metrics; --metric-only has no meaning there");
  return {};
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> names_in_state(const StatTable& table, StatState state) {
  std::vector<std::string> names;
  for (const StatRow& row : table.rows()) {
    const std::string& name = table.events()[row.event].name;
    if (row.state == state && !contains(names, name)) names.push_back(name);
  }
  return names;
}

// Whether --timeout ended the run that took these times.
bool is_cut_short(unsigned timeout_ms, const StatTimes& times) {
  return timeout_ms != 0 && times.wall_ns >= u64{timeout_ms} * 1'000'000;
}

void print_versus_lines(const VersusTitle& title, std::span<const VersusRow> rows, Sink& out) {
  const std::string creator = fmt::format("peregrine {}", kVersion);
  print_stat_start_line({.creator = creator, .target = fmt::format("{} against {}", title.a, title.b)}, out);
  print_stat_comparison_lines(rows, out);
}

void print(const StatRequest& request, const VersusTitle& title, const StatVersus& versus, Sink& out) {
  const auto rows = versus.rows();
  if (request.json_lines)
    print_versus_lines(title, rows, out);
  else if (request.json)
    print_versus_json(rows, out);
  else if (request.separator)
    print_versus_csv(rows, *request.separator == "\\t" ? "\t" : *request.separator, out);
  else
    print_versus(title, rows, versus.left_out(), out);
}

}  // namespace

void warn_about_missing_rows(const StatTable& total, const StatVersus& versus, bool lists_left_out,
                             Messages& messages) {
  const std::vector<std::string> left_out = versus.left_out();
  std::vector<std::string> known = left_out;
  for (const VersusRow& row : versus.rows()) known.push_back(row.name);
  const auto unsupported = names_in_state(total, StatState::NotSupported);
  std::vector<std::string> uncounted = lists_left_out ? std::vector<std::string>() : left_out;
  for (std::string& name : names_in_state(total, StatState::NotCounted))
    if (!contains(known, name)) uncounted.push_back(std::move(name));
  if (!unsupported.empty())
    messages.warning(fmt::format("not supported here, so not compared: {}", fmt::join(unsupported, ", ")));
  if (!uncounted.empty())
    messages.warning(fmt::format("not counted in every run, so not compared: {}", fmt::join(uncounted, ", ")));
}

Result<int> run_versus(StatRequest& request, Invocation& call) {
  auto other = split_command(request.versus);
  if (!other) return std::unexpected(std::move(other.error()));
  PEREGRINE_TRY(check_versus(request, call, *other));
  PEREGRINE_TRY(check_consistency(request, call));
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  auto plan = make_plan(request, call);
  if (!plan) return std::unexpected(std::move(plan.error()));
  warn_about_unmeasured_programs(*plan, other->front(), call);
  OpenLog log(call.config, call.messages, request.verbose > 1);
  plan->on_open = log.listener();
  auto session = StatSession::open(std::move(*plan), call.messages);
  if (!session) return std::unexpected(std::move(session.error()));

  const auto run = [&](const std::vector<std::string>& words) -> Result<CommandRun> {
    (*session)->set_command(words);
    PEREGRINE_TRY((*session)->run({}));
    return CommandRun{(*session)->last_run(), (*session)->workload(), (*session)->ended_by(),
                      is_cut_short(request.timeout_ms, (*session)->last_times())};
  };
  PairedRuns runs(call.words, *other, run, call.messages);
  const auto versus = runs.compare(request.repeat_given ? request.repeat : kDefaultPairs);
  if (!versus) return std::unexpected(versus.error());
  Sink out(destination->fd());
  // Also where CPUs or other processes are counted meanwhile: what differs between A and B is the command.
  const VersusTitle title{fmt::format("'{}'", fmt::join(call.words, " ")), fmt::format("'{}'", request.versus),
                          versus->pairs(), request.big_numbers.value_or(true) ? call.config.thousands_separator() : ""};
  if (!request.quiet && versus->pairs() > 0) {
    const bool is_text = !request.separator && !request.json;
    if (const StatTable* total = (*session)->total()) warn_about_missing_rows(*total, *versus, is_text, call.messages);
    print(request, title, *versus, out);
  }
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  return (*session)->ended_by() != 0 ? 128 + (*session)->ended_by() : 0;
}

}  // namespace peregrine::cmd
