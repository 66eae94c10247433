// data: converts recordings for other programs.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/temporary_folder.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/data/convert_session.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

struct ConvertOptions {
  ReaderNeeds needs() const { return {.inputs = {input}, .outputs = {json, ctf, trace_dat, chrome, perfetto}}; }
  std::string input, json, ctf, trace_dat, chrome, perfetto, times;
  bool force = false, all = false, wall_clock = false;
  int verbose = 0, version = 6;
};
constexpr std::array kDataOptions{
    Option{.name = "all",
           .help = "with --to-ctf: include processes and their memory maps",
           .store = set<&ConvertOptions::all>},
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file regardless of its owner, and overwrite",
           .store = set<&ConvertOptions::force>},
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
           .store = set<&ConvertOptions::input>},
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "str",
           .help = "convert only these time spans: start,stop in seconds (separate several with spaces), or 10%-20% "
                   "(with commas)",
           .store = set<&ConvertOptions::times>,
           .since = Since::Ours},
    Option{.name = "to-chrome",
           .value = Value::Required,
           .metavar = "file",
           .help = "write a timeline as Chrome's trace event JSON: tracks for CPUs and threads, fields as arguments",
           .store = set<&ConvertOptions::chrome>,
           .since = Since::Ours},
    Option{.name = "to-ctf",
           .value = Value::Required,
           .metavar = "folder",
           .help = "write a Common Trace Format trace, for babeltrace2 and Trace Compass",
           .store = set<&ConvertOptions::ctf>},
    Option{.name = "to-json",
           .value = Value::Required,
           .metavar = "file",
           .help = "write the header and all samples as one JSON document",
           .store = set<&ConvertOptions::json>},
    Option{.name = "to-perfetto",
           .value = Value::Required,
           .metavar = "file",
           .help = "write the same timeline as a Perfetto trace (protobuf), for ui.perfetto.dev",
           .store = set<&ConvertOptions::perfetto>,
           .since = Since::Ours},
    Option{.name = "to-trace-dat",
           .value = Value::Required,
           .metavar = "file",
           .help = "write the tracepoints as a trace.dat file, for trace-cmd and KernelShark",
           .store = set<&ConvertOptions::trace_dat>,
           .since = Since::Ours},
    Option{.name = "tod", .help = "with --to-ctf: use wall-clock times", .store = set<&ConvertOptions::wall_clock>},
    Option{
        .name = "trace-dat-version",
        .value = Value::Required,
        .metavar = "6|7",
        .help = "with --to-trace-dat: version of the file; 7 is compressed, for trace-cmd 3.0 and later (default: 6)",
        .store = set<&ConvertOptions::version>,
        .since = Since::Ours},
    Option{.name = "verbose", .letter = 'v', .help = "print more", .store = count<&ConvertOptions::verbose>},
};
constexpr std::string_view kDataUsage[] = {"convert [<options>]"};
constexpr std::string_view kDataDescription =
    "`convert` writes a recording as JSON, in the Common Trace Format (CTF), as a trace.dat file or as a timeline, "
    "for use with other tools. It also reads trace.dat files, as all commands do.\n\n"
    "For profilers' formats (speedscope, pprof, Firefox, Chrome, callgrind, folded stacks) use `perf script "
    "--format`, and for one JSON object per line `perf script --format jsonl`.";
constexpr std::string_view kDataExamples[] = {
    "perf data convert --to-json out.json|the recording as JSON",
    "perf data convert --to-ctf trace --all|a folder for babeltrace2",
    "perf data convert --to-trace-dat trace.dat|a file for KernelShark",
    "perf data convert --to-perfetto trace.pftrace|a timeline for ui.perfetto.dev",
    "perf data convert --time 0%-10% --to-json out.json|the first tenth of the recording"};

std::optional<TimelineFormat> timeline_of(const ConvertOptions& options) {
  if (!options.chrome.empty()) return TimelineFormat::Chrome;
  if (!options.perfetto.empty()) return TimelineFormat::Perfetto;
  return std::nullopt;
}

Result<int> convert(ConvertOptions& options, Invocation& call) {
  if (!options.json.empty() && !options.ctf.empty())
    return fail(ErrorKind::Usage, "You cannot specify both --to-ctf and --to-json.");
  const std::array outputs{&options.json, &options.ctf, &options.trace_dat, &options.chrome, &options.perfetto};
  const auto given = std::ranges::count_if(outputs, [](const std::string* output) { return !output->empty(); });
  if (given > 1)
    return fail(ErrorKind::Usage, "only one --to option is possible: run the other conversions separately");
  if (given == 0) return fail(ErrorKind::Usage, "You must specify one of --to-ctf or --to-json.");
  if (options.version != 6 && options.version != 7) return fail(ErrorKind::Usage, "--trace-dat-version must be 6 or 7");
  if (options.ctf.empty() && options.all)
    return fail(ErrorKind::Usage, "--all is currently unsupported for JSON output.");
  if (options.ctf.empty() && options.wall_clock)
    return fail(ErrorKind::Usage, "--tod is currently unsupported for JSON output.");
  auto reader = open_recording(options.input, options.force, call.messages);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const ConvertRequest request{
      .input = recording_name(options.input),
      .document = !options.chrome.empty()     ? options.chrome
                  : !options.perfetto.empty() ? options.perfetto
                                              : options.json,
      .timeline = timeline_of(options),
      .trace_dat = {.file = options.trace_dat,
                    .version = static_cast<unsigned>(options.version),
                    .temporary_folder = temporary_folder()},
      .ctf = {.folder = options.ctf, .force = options.force, .all = options.all, .wall_clock = options.wall_clock},
      .times = options.times,
      .force = options.force,
      .symbols = symbol_request({.force = options.force}, call.config)};
  PEREGRINE_TRY(convert_recording(request, *reader, call.out, call.messages));
  return 0;
}

constexpr Command kConvert{.name = "data convert",
                           .summary = "Convert a recording to another format",
                           .options = kDataOptions,
                           .run = entry<ConvertOptions, confined<ConvertOptions, convert>>};
constexpr const Command* kDataParts[] = {&kConvert};

}  // namespace

constinit const Command kData{.name = "data",
                              .summary = "Convert recordings into other formats",
                              .usage = kDataUsage,
                              .options = kDataOptions,
                              .parts = kDataParts,
                              .words_at = Words::StopAtFirst,
                              .description = kDataDescription,
                              .examples = kDataExamples,
                              .run = run_part};

}  // namespace peregrine::cmd
