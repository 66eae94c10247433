// data: recordings in other forms.
#include <unistd.h>

#include <optional>

#include "cli/frame/parts.h"
#include "cli/frame/text_file.h"
#include "cmd/command_table.h"
#include "cmd/data/data_ctf.h"
#include "cmd/recording/reading_watch.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/json/data_json.h"
#include "session/event_names.h"

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
           .help = "the recording to read (default: a pipe on stdin, else perf.data; -: stdin)",
           .store = set<&ConvertOptions::input>},
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "str",
           .help = "only samples of this span, as start,stop in seconds, or 10%-20%; several may be given",
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

// Returns the number of samples.
Result<u64> write_json(OpenedRecording& reader, const ConvertOptions& options, const SymbolOptions& symbols, Sink& out,
                       Invocation& call) {
  Machine machine(symbol_places(symbols, call, reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  auto times = choose_times(options.times, reader);
  if (!times) return std::unexpected(std::move(times.error()));
  replay_options.filter.times = std::move(*times);
  DataJson json(reader, [&reader] { return event_names(reader); }, out);
  Replay replay(reader, machine, std::move(replay_options));
  ReadingWatch watch(json, reader.header(), call.messages);
  const Result<> outcome = replay.run(watch);
  json.finish();
  PEREGRINE_TRY(watch.end(options.json == "-" ? "" : options.json, kPartHint));
  warn_about_losses(call, replay.account(), reader.account());
  tell_decoding(reader, call);
  PEREGRINE_TRY(flush_file(out, shown_path(options.json)));
  if (!outcome) return std::unexpected(outcome.error());
  return json.samples();
}

Result<int> convert(ConvertOptions& options, Invocation& call) {
  if (!options.json.empty() && !options.ctf.empty())
    return fail(ErrorKind::Usage, "You cannot specify both --to-ctf and --to-json.");
  if (!options.ctf.empty())
    return convert_to_ctf({.input = options.input,
                           .folder = options.ctf,
                           .times = options.times,
                           .force = options.force,
                           .all = options.all,
                           .wall_clock = options.wall_clock},
                          call);
  if (options.json.empty()) return fail(ErrorKind::Usage, "You must specify one of --to-ctf or --to-json.");
  if (options.all) return fail(ErrorKind::Usage, "--all is currently unsupported for JSON output.");
  if (options.wall_clock) return fail(ErrorKind::Usage, "--tod is currently unsupported for JSON output.");
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const SymbolOptions symbols{.force = options.force};
  PEREGRINE_TRY(decode_recording(*reader, TraceChoice(), usual_itrace(), symbols, call));
  std::optional<OutputFile> file;
  if (options.json != "-") {
    auto opened = create_whole_file(options.json, {.existing = options.force ? Existing::Truncate : Existing::Refuse});
    if (!opened) {
      if (opened.error().system_errno == EEXIST) opened.error().hint = "--force overwrites it";
      return std::unexpected(std::move(opened.error()));
    }
    file.emplace(std::move(*opened));
  }
  Sink to_file(file ? file->fd() : STDOUT_FILENO);
  Sink& out = file ? to_file : call.out;
  const auto samples = write_json(*reader, options, symbols, out, call);
  if (!samples) return std::unexpected(samples.error());
  const off_t end = ::lseek(file ? file->fd() : STDOUT_FILENO, 0, SEEK_CUR);
  const u64 bytes = end < 0 ? 0 : static_cast<u64>(end);
  if (file) PEREGRINE_TRY(file->finish());
  const std::string input = recording_name(options.input);
  call.messages.verbatim(
      fmt::format("[ perf data convert: Converted '{}' into JSON data '{}' ]\n", input, shown_path(options.json)));
  call.messages.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({} samples) ]\n",
                                     static_cast<double>(bytes) / 1024.0 / 1024.0, *samples));
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
