// timechart: a picture of what CPUs and tasks did over time.
#include <fmt/format.h>

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/chart/io_calls.h"
#include "analysis/chart/time_chart.h"
#include "base/number/duration.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text_file.h"
#include "session/kernel/chart_session.h"
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

struct ChartOptions {
  TracedInput input;
  SymbolOptions symbols;
  std::string output = "output.svg", highlight, times;
  unsigned width = 1000, least_tasks = TaskChoice().least;
  bool power_only = false, tasks_only = false, topology = false, skip_again = false;
  std::vector<std::string> tasks;
  u64 least_io = 1'000'000, merge_distance = IoRequest().merge_distance;

  ReaderNeeds needs() const { return {.inputs = {input.path}, .outputs = {output}}; }
};

Result<u64> parse_duration(std::string_view option, std::string_view value) {
  if (const auto time = nanoseconds_of(value, true)) return *time;
  return fail(ErrorKind::Usage, "invalid {} '{}': must be a number with ns, us, ms or s", option, value);
}
Result<u64> parse_least_io(std::string_view value) { return parse_duration("--io-min-time", value); }
Result<u64> parse_merge_distance(std::string_view value) { return parse_duration("--io-merge-dist", value); }

template <class T>
constexpr std::array kScope{
    Option{.name = "power-only",
           .letter = 'P',
           .help = "show only idle states and frequencies of CPUs, no tasks",
           .store = set<&T::power_only>},
    Option{.name = "tasks-only",
           .letter = 'T',
           .help = "omit idle states and frequencies of CPUs",
           .store = set<&T::tasks_only>},
};
constexpr std::array kTimechartOwnRows{
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file regardless of its owner",
           .store = set<&ChartOptions::input, &TracedInput::force>},
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
           .store = set<&ChartOptions::input, &TracedInput::path>},
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write the picture to this file (default: output.svg)",
           .store = set<&ChartOptions::output>},
    Option{.name = "width",
           .letter = 'w',
           .value = Value::Required,
           .metavar = "pixels",
           .help = "set the width in pixels, for viewers that do not scale to the window (default: 1000)",
           .store = set<&ChartOptions::width>},
    Option{.name = "process",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "name or pid",
           .help = "show only these tasks; may be repeated",
           .store = set<&ChartOptions::tasks>},
    Option{.name = "proc-num",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "n",
           .help = "show at least the n busiest tasks (default: 15)",
           .store = set<&ChartOptions::least_tasks>},
    Option{.name = "topology",
           .letter = 't',
           .help = "place CPUs of the same socket, die or core next to each other",
           .store = set<&ChartOptions::topology>},
    Option{.name = "highlight",
           .value = Value::Required,
           .metavar = "ns or name",
           .help = "highlight runs longer than this, or tasks with this text in the name",
           .store = set<&ChartOptions::highlight>},
    Option{.name = "io-skip-eagain",
           .help = "omit calls that would have blocked (EAGAIN)",
           .store = set<&ChartOptions::skip_again>},
    Option{.name = "io-min-time",
           .value = Value::Required,
           .metavar = "time",
           .help = "draw calls at least this long, in ns, or with suffix us or ms (default: 1ms)",
           .store = set_parsed<parse_least_io, &ChartOptions::least_io>},
    Option{.name = "io-merge-dist",
           .value = Value::Required,
           .metavar = "time",
           .help = "merge similar calls that are at most this far apart (default: 1us)",
           .store = set_parsed<parse_merge_distance, &ChartOptions::merge_distance>},
    kSymfsRow<&ChartOptions::symbols, &SymbolOptions::symfs>,
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "start,stop",
           .help = "show only this time span, in seconds or percent; start or stop may be omitted",
           .store = set<&ChartOptions::times>,
           .since = Since::Ours},
};
constexpr auto kTimechartOptions = joined_rows(kScope<ChartOptions>, kTimechartOwnRows);

Result<> check_scope(bool power_only, bool tasks_only) {
  if (power_only && tasks_only) return fail(ErrorKind::Usage, "-P cannot be combined with -T: nothing would be drawn");
  return {};
}

ChartRequest chart_request(const ChartOptions& options) {
  ChartRequest request{.io = {.skip_again = options.skip_again, .merge_distance = options.merge_distance},
                       .tasks = {.wanted = options.tasks, .least = options.least_tasks},
                       .look = {},
                       .topology = options.topology,
                       .times = options.times,
                       .output = options.output};
  request.look.width = options.width;
  request.look.tasks = !options.power_only;
  request.look.power = !options.tasks_only;
  request.look.least_io = options.least_io;
  if (options.highlight.empty()) return request;
  if (const auto length = nanoseconds_of(options.highlight, true))
    request.look.marked_length = *length;
  else
    request.look.marked = options.highlight;
  return request;
}

Result<int> draw_chart(ChartOptions& options, Invocation& call) {
  if (!call.words.empty())
    return fail(ErrorKind::Usage,
                "unknown subcommand '{}': must be 'record'; without a subcommand, timechart draws the chart",
                call.words.front());
  PEREGRINE_TRY(check_scope(options.power_only, options.tasks_only));
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  const auto length = draw_time_chart(*recording, chart_request(options), call.out, call.messages);
  if (!length) return std::unexpected(length.error());
  call.messages.verbatim(fmt::format("Written {:.1f} seconds of trace to {}.\n", static_cast<double>(*length) / 1e9,
                                     shown_path(options.output)));
  return 0;
}

struct ChartRecordOptions {
  bool power_only = false, tasks_only = false, io_only = false, chains = false;
  std::string output;
};
constexpr std::array kRecordOwn{
    Option{.name = "io-only",
           .letter = 'I',
           .help = "record only I/O system calls",
           .store = set<&ChartRecordOptions::io_only>},
    Option{.name = "callchain",
           .letter = 'g',
           .help = "record call chains, to show why tasks waited",
           .store = set<&ChartRecordOptions::chains>},
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write the recording to this file (default: perf.data)",
           .store = set<&ChartRecordOptions::output>,
           .since = Since::Ours},
};
constexpr auto kTimechartRecordOptions = joined_rows(kRecordOwn, kScope<ChartRecordOptions>);

Result<int> chart_record(ChartRecordOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_scope(options.power_only, options.tasks_only));
  return record_traced(chart_recording({.tasks = !options.power_only,
                                        .power = !options.tasks_only,
                                        .io_only = options.io_only,
                                        .chains = options.chains}),
                       record_arguments(options.output, call.words), call);
}

Result<int> run_timechart(Invocation& call) {
  if (called_part(call.command, call.arguments) != nullptr) return run_part(call);
  return entry<ChartOptions, confined<ChartOptions, draw_chart>>(call);
}

constexpr std::string_view kTimechartRecordUsage[] = {"[<options>] [<command>]"};
constexpr Command kTimechartRecordPart{.name = "timechart record",
                                       .summary = "Record data for a time chart",
                                       .usage = kTimechartRecordUsage,
                                       .options = kTimechartRecordOptions,
                                       .words_at = Words::StopAtFirst,
                                       .run = entry<ChartRecordOptions, chart_record>};
constexpr const Command* kTimechartParts[] = {&kTimechartRecordPart};
constexpr std::string_view kTimechartUsage[] = {"[<options>]", "[<options>] record [<subcommand options>] [<command>]"};
constexpr std::string_view kTimechartDescription =
    "Draws which tasks ran on which CPU over time, as an SVG picture for a browser. Use it to see why parallel work "
    "does not use all CPUs.\n\n"
    "`timechart record` records context switches, wake-ups and CPU power states on all CPUs while a command runs; with "
    "-I, it records system calls that read, write, poll or sync instead. `timechart` then draws one row per CPU and "
    "one for each of the busiest tasks.\n\n"
    "In the picture, hover over a bar to see the task, the duration and the reason. Drag to zoom in; double-click to "
    "show everything. / searches rows, + and - zoom, the arrow keys scroll, and w hides wake-ups.";
constexpr std::string_view kTimechartExamples[] = {
    "perf timechart record make|record all CPUs while make runs",
    "perf timechart|draw it to output.svg",
    "perf timechart -p cc1plus -p ld --highlight 10000000|show only these tasks, highlight runs over 10 ms",
    "perf timechart record -I -- cp -r /usr/include /tmp|record I/O system calls",
};

}  // namespace

constinit const Command kTimechart{.name = "timechart",
                                   .summary = "Draw the activity of CPUs and tasks over time",
                                   .usage = kTimechartUsage,
                                   .options = kTimechartOptions,
                                   .parts = kTimechartParts,
                                   .words_at = Words::StopAtFirst,
                                   .description = kTimechartDescription,
                                   .examples = kTimechartExamples,
                                   .run = run_timechart};

}  // namespace peregrine::cmd
