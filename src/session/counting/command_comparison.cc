#include "session/counting/command_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "base/types.h"
#include "output/csv/versus_csv.h"
#include "output/json/stat_lines.h"
#include "output/json/versus_json.h"
#include "session/counting/paired_runs.h"

namespace peregrine {

namespace {

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> names_in_state(const StatTable& table, StatState state) {
  std::vector<std::string> names;
  for (const StatRow& row : table.rows()) {
    const std::string& name = table.events()[row.event].name;
    if (row.state == state && !has_name(names, name)) names.push_back(name);
  }
  return names;
}

// Whether --timeout ended the run with these times.
bool is_cut_short(unsigned timeout_ms, const StatTimes& times) {
  return timeout_ms != 0 && times.wall_ns >= u64{timeout_ms} * 1'000'000;
}

void print_versus_lines(const VersusTitle& title, std::span<const VersusRow> rows, std::string_view creator,
                        Sink& out) {
  print_stat_start_line({.creator = creator, .target = fmt::format("{} against {}", title.a, title.b)}, out);
  print_stat_comparison_lines(rows, out);
}

}  // namespace

void warn_about_missing_rows(const StatTable& total, const StatVersus& versus, bool lists_left_out,
                             SessionListener& listener) {
  const std::vector<std::string> left_out = versus.left_out();
  std::vector<std::string> known = left_out;
  for (const VersusRow& row : versus.rows()) known.push_back(row.name);
  const auto unsupported = names_in_state(total, StatState::NotSupported);
  std::vector<std::string> uncounted = lists_left_out ? std::vector<std::string>() : left_out;
  for (std::string& name : names_in_state(total, StatState::NotCounted))
    if (!has_name(known, name)) uncounted.push_back(std::move(name));
  if (!unsupported.empty())
    listener.warning(fmt::format("not supported here, so not compared: {}", fmt::join(unsupported, ", ")));
  if (!uncounted.empty())
    listener.warning(fmt::format("not counted in every run, so not compared: {}", fmt::join(uncounted, ", ")));
}

Result<CommandComparison> compare_commands(StatPlan plan, const CommandComparisonRequest& request,
                                           SessionListener& listener) {
  const std::vector<std::string> command = plan.command;
  const unsigned timeout_ms = plan.timeout_ms;
  auto session = StatSession::open(std::move(plan), listener);
  if (!session) return std::unexpected(std::move(session.error()));
  const auto run = [&](const std::vector<std::string>& words) -> Result<CommandRun> {
    (*session)->set_command(words);
    PEREGRINE_TRY((*session)->run({}));
    return CommandRun{(*session)->last_run(), (*session)->workload(), (*session)->ended_by(),
                      is_cut_short(timeout_ms, (*session)->last_times())};
  };
  auto versus = PairedRuns(command, request.other, run, listener).compare(request.pairs);
  if (!versus) return std::unexpected(std::move(versus.error()));
  if (!request.quiet && versus->pairs() > 0)
    if (const StatTable* total = (*session)->total())
      warn_about_missing_rows(*total, *versus, request.lists_left_out, listener);
  return CommandComparison{std::move(*versus), (*session)->ended_by()};
}

void print_comparison(const VersusTitle& title, const StatVersus& versus, const StatStyle& style, Sink& out) {
  const auto rows = versus.rows();
  if (style.json_lines)
    print_versus_lines(title, rows, style.creator, out);
  else if (style.json)
    print_versus_json(rows, out);
  else if (style.separator)
    print_versus_csv(rows, *style.separator, out);
  else
    print_versus(title, rows, versus.left_out(), out);
}

}  // namespace peregrine
