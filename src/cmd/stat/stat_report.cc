#include "cmd/stat/stat_report.h"
#include "cmd/recording/damage.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/stat/stat_options.h"
#include "cmd/stat/stat_printer.h"
#include "output/text/format/printable.h"
#include "pipeline/counting/stat_reader.h"

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
     .help = "the recording to read (default: a pipe on stdin, else perf.data; -: stdin)",
     .store = set<&StatReportOptions::input>},
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner",
     .store = set<&StatReportOptions::force>,
     .since = Since::Ours},
    {.name = "per-socket", .help = "sum up counts per socket", .store = kShownBy<StatAggregation::Socket>},
    {.name = "per-die", .help = "sum up counts per die", .store = kShownBy<StatAggregation::Die>},
    {.name = "per-core", .help = "sum up counts per physical core", .store = kShownBy<StatAggregation::Core>},
    {.name = "per-node", .help = "sum up counts per NUMA node", .store = kShownBy<StatAggregation::Node>},
    {.name = "no-aggr",
     .letter = 'A',
     .help = "show a row per CPU instead of the sum",
     .store = kShownBy<StatAggregation::Cpu>},
    {.name = "per-cluster",
     .help = "sum up counts per cluster of cores",
     .store = kShownBy<StatAggregation::Cluster>,
     .since = Since::Ours},
    {.name = "per-cache",
     .help = "sum up counts per last-level cache",
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

// By threads counts are told apart only where they were counted so, by CPUs only where CPUs were counted.
Result<StatLayout> choose_layout(const StatReportOptions& options, const StatReader& reader) {
  const std::string& version = reader.header().features.version.value_or("");
  const StatAggregation recorded = aggregation_of(reader.aggregation(), version);
  StatLayout layout{.aggregation = options.aggregation.value_or(recorded), .scale = reader.scale()};
  const CpuList& cpus = reader.cpus();
  const bool of_cpus = !cpus.empty() && cpus.front() >= 0 && cpus.front() != 0xffff;
  if (is_by_cpu(layout.aggregation) && !of_cpus) {
    return std::unexpected(Error{ErrorKind::Usage, "the counts are of threads, not of CPUs"}.with_hint(
        "'stat record -a' counts by CPU; without an option counts are summed as they were recorded"));
  }
  if (layout.aggregation == StatAggregation::Thread) {
    layout.places.clear();
    for (const RecordedThread& thread : reader.threads()) {
      const std::string comm = printable(thread.comm), label = fmt::format("{}-{}", comm, thread.thread);
      layout.places.push_back({.label = label, .name = label, .cpus = {}, .thread = thread.thread, .comm = comm});
    }
  } else if (is_by_cpu(layout.aggregation)) {
    layout.places = cpu_places(layout.aggregation, cpus, recorded_arrangement(reader.header().features));
  }
  return layout;
}

std::string title(const StatReader& reader, const std::string& input) {
  if (input == "-") return "'pipe'";
  std::string words;
  for (const std::string& word : reader.header().features.cmdline.value_or(std::vector<std::string>{}))
    words += (words.empty() ? "" : " ") + word;
  return fmt::format("'{}'", printable(words));
}

Result<> print_rounds(StatReader& reader, const EventList& events, const StatLayout& layout, StatPrinter& printer) {
  std::vector<CounterReading> before;
  std::optional<StatTable> total;
  for (;;) {
    auto round = reader.next();
    if (!round) return std::unexpected(std::move(round.error()));
    if (!*round) break;
    if (reader.interval_ms() != 0 && !(*round)->last) {
      StatTable table(events, reader.supported(), layout);
      table.add_run(readings_since((*round)->readings, before), {.wall_ns = reader.interval_ms() * 1'000'000});
      printer.interval(table, (*round)->since_start_ns);
      before = (*round)->readings;
    } else {
      total.emplace(events, reader.supported(), layout);
      total->add_run((*round)->readings, {.wall_ns = (*round)->since_start_ns});
    }
  }
  if (total) printer.total(*total, std::nullopt);
  printer.finish(total ? &*total : nullptr, std::nullopt);
  return {};
}

}  // namespace

Result<int> run_stat_report(StatRequest& request, std::span<const std::string> arguments, Invocation& call) {
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
    return fail(ErrorKind::Usage, "stat report: unexpected argument '{}'; name the file with -i",
                parsed->words.front());
  if (options.separator) request.separator = options.separator;
  request.csv_safe |= options.csv_safe;
  request.json_lines |= options.json_lines;
  request.json |= options.json || request.json_lines;

  settle_input(options.input);
  const auto sandbox = enter_sandbox({.inputs = {options.input}, .outputs = {request.output}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  auto recording = open_recording(options.input, options.force);
  if (!recording) return say_open_error(call, options.input, recording.error());
  auto reader = StatReader::open(*recording);
  if (!reader) return std::unexpected(std::move(reader.error()));
  auto layout = choose_layout(options, *reader);
  if (!layout) return std::unexpected(std::move(layout.error()));
  request.aggregation = layout->aggregation;
  request.interval_ms = 0;  // totals are printed wherever there are any
  EventList events = reader->events();
  for (EventSpec& spec : events) {
    spec.name = printable(spec.name);
    spec.unit = printable(spec.unit);
  }
  auto destination = StatDestination::open(request);
  if (!destination) return std::unexpected(std::move(destination.error()));
  Sink out(destination->fd());
  StatPrinter printer(request, call.config, title(*reader, options.input), false, out);
  PEREGRINE_TRY(print_rounds(*reader, events, *layout, printer));
  if (auto flushed = out.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  warn_about_damage(call, {}, reader->account());
  if (reader->unknown_readings() > 0)
    call.messages.warning(fmt::format("{} readings are of events, threads or CPUs that the recording does not name",
                                      reader->unknown_readings()));
  return 0;
}

}  // namespace peregrine::cmd
