#include "cmd/stat/stat_report.h"

#include <fmt/format.h>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/stat/stat_destination.h"
#include "output/sink.h"
#include "pipeline/counting/stat_reader.h"
#include "session/counting/recorded_counts.h"
#include "session/counting/stat_printer.h"
#include "session/recording/damage.h"

namespace peregrine::cmd {

namespace {

struct StatReportOptions {
  std::string input;
  bool force = false;
  std::optional<StatAggregation> aggregation;
  std::optional<std::string> separator;
  bool csv_safe = false, json = false, json_lines = false;
};

template <StatAggregation kAggregation>
constexpr Store kShownBy = assign<&StatReportOptions::aggregation, kAggregation>;

constexpr Option kStatReportOptions[] = {
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
     .store = set<&StatReportOptions::input>},
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner",
     .store = set<&StatReportOptions::force>,
     .since = Since::Ours},
    {.name = "per-socket", .help = "sum counts per socket", .store = kShownBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "sum counts per die", .store = kShownBy<StatAggregation::Die>},
    {.name = "per-core", .help = "sum counts per physical core", .store = kShownBy<StatAggregation::Core>},
    {.name = "per-node", .help = "sum counts per NUMA node", .store = kShownBy<StatAggregation::Node>},
    {.name = "no-aggr",
     .letter = 'A',
     .help = "show one row per CPU instead of the sum",
     .store = kShownBy<StatAggregation::Cpu>},
    {.name = "per-cluster",
     .help = "sum counts per cluster of cores",
     .store = kShownBy<StatAggregation::Cluster>,
     .since = Since::Ours},
    {.name = "per-cache",
     .help = "sum counts per last-level cache",
     .store = kShownBy<StatAggregation::Cache>,
     .since = Since::Ours},
    {.name = "global",
     .help = "show one sum, regardless of the recorded aggregation",
     .store = kShownBy<StatAggregation::Global>,
     .since = Since::Ours},
    {.name = "field-separator",
     .letter = 'x',
     .value = Value::Required,
     .metavar = "separator",
     .help = "machine-readable: separate plain values with this text",
     .store = set<&StatReportOptions::separator>,
     .since = Since::Ours},
    {.name = "csv-safe",
     .help = "with -x: put an apostrophe before text that spreadsheets would run as a formula",
     .store = set<&StatReportOptions::csv_safe>,
     .since = Since::Ours},
    {.name = "json-output",
     .letter = 'j',
     .help = "machine-readable: print one JSON object per row",
     .store = set<&StatReportOptions::json>,
     .since = Since::Ours},
    {.name = "json-lines",
     .help = "machine-readable: JSON lines in a versioned format, with unquoted numbers",
     .store = set<&StatReportOptions::json_lines>,
     .since = Since::Ours},
};
constexpr std::string_view kStatReportUsage[] = {"[<options>]"};
constexpr Command kStatReport{
    .name = "stat report", .summary = "Show recorded counts", .usage = kStatReportUsage, .options = kStatReportOptions};

}  // namespace

Result<int> run_stat_report(StatOptions& outer, std::span<const std::string> arguments, Invocation& call) {
  StatReportOptions options;
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  Invocation own{.command = kStatReport,
                 .config = call.config,
                 .messages = call.messages,
                 .out = call.out,
                 .argv = call.argv,
                 .arguments = words,
                 .confined = call.confined};
  auto parsed = parse_options(kStatReportOptions, Words::Anywhere, words, &options, kOwner<StatReportOptions>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked != Asked::Run) return answer(own, *parsed);
  if (!parsed->words.empty())
    return fail(ErrorKind::Usage, "stat report: unexpected argument '{}'; pass the file with -i",
                parsed->words.front());
  if (options.separator) outer.separator = options.separator;
  outer.csv_safe |= options.csv_safe;
  outer.json_lines |= options.json_lines;
  outer.json |= options.json || outer.json_lines;

  settle_input(options.input);
  const auto sandbox = enter_sandbox({.inputs = {options.input}, .outputs = {outer.output}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  auto recording = open_recording(options.input, options.force, call.messages);
  if (!recording) return say_open_error(call, options.input, recording.error());
  auto reader = StatReader::open(*recording);
  if (!reader) return std::unexpected(std::move(reader.error()));
  auto layout = recorded_layout(*reader, options.aggregation);
  if (!layout) return std::unexpected(std::move(layout.error()));
  outer.request.rows.aggregation = layout->aggregation;
  outer.request.timing.interval_ms = 0;  // print totals if there are any
  auto destination = StatDestination::open(outer);
  if (!destination) return std::unexpected(std::move(destination.error()));
  Sink out(destination->fd());
  out.set_file(outer.output);
  const std::string subject = options.input == "-" ? "'pipe'" : recorded_command(*reader);
  StatPrinter printer(stat_style(outer, subject, call.config), out);
  PEREGRINE_TRY(print_recorded_counts(*reader, *layout, printer));
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  warn_about_damage(call.messages, {}, reader->account());
  if (reader->unknown_readings() > 0)
    call.messages.warning(fmt::format("{} readings refer to events, threads or CPUs missing from the recording",
                                      reader->unknown_readings()));
  return 0;
}

}  // namespace peregrine::cmd
