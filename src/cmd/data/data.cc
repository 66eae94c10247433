// data: converts recordings for other programs.
#include <array>
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
#include "cmd/sandbox/confined_reader.h"
#include "session/data/convert_session.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

struct ConvertOptions {
  ReaderNeeds needs() const { return {.inputs = {input}, .outputs = {json, ctf}}; }
  std::string input, json, ctf, times;
  bool force = false, all = false, wall_clock = false;
  int verbose = 0;
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
    Option{.name = "tod", .help = "with --to-ctf: use wall-clock times", .store = set<&ConvertOptions::wall_clock>},
    Option{.name = "verbose", .letter = 'v', .help = "print more", .store = count<&ConvertOptions::verbose>},
};
constexpr std::string_view kDataUsage[] = {"convert [<options>]"};
constexpr std::string_view kDataDescription =
    "`convert` writes a recording as JSON or in the Common Trace Format (CTF), for use with other tools.\n\n"
    "For profilers' formats (speedscope, pprof, Firefox, Chrome, callgrind, folded stacks) use `perf script "
    "--format`, and for one JSON object per line `perf script --format jsonl`.";
constexpr std::string_view kDataExamples[] = {
    "perf data convert --to-json out.json|the recording as JSON",
    "perf data convert --to-ctf trace --all|a folder for babeltrace2",
    "perf data convert --time 0%-10% --to-json out.json|the first tenth of the recording"};

Result<int> convert(ConvertOptions& options, Invocation& call) {
  if (!options.json.empty() && !options.ctf.empty())
    return fail(ErrorKind::Usage, "You cannot specify both --to-ctf and --to-json.");
  if (options.json.empty() && options.ctf.empty())
    return fail(ErrorKind::Usage, "You must specify one of --to-ctf or --to-json.");
  if (options.ctf.empty() && options.all)
    return fail(ErrorKind::Usage, "--all is currently unsupported for JSON output.");
  if (options.ctf.empty() && options.wall_clock)
    return fail(ErrorKind::Usage, "--tod is currently unsupported for JSON output.");
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const ConvertRequest request{
      .input = recording_name(options.input),
      .json = options.json,
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
