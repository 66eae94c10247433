// data: recordings in other forms.
#include <unistd.h>

#include <optional>

#include "base/text/counted.h"
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text_file.h"
#include "session/data/conversion.h"

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

Result<ConvertedSamples> converted_samples(OpenedRecording& reader, const ConvertOptions& options, Invocation& call) {
  const SymbolOptions symbols{.force = options.force};
  PEREGRINE_TRY(decode_recording(reader, TraceChoice(), usual_itrace(), symbols, call));
  auto times = choose_times(options.times, reader);
  if (!times) return std::unexpected(std::move(times.error()));
  return ConvertedSamples{.reader = reader, .times = std::move(*times), .places = symbol_places(symbols, call, reader)};
}

void tell_conversion(const ConvertOptions& options, std::string_view kind, const std::string& place, u64 bytes,
                     const std::string& counts, Invocation& call) {
  call.messages.verbatim(fmt::format("[ perf data convert: Converted '{}' into {} data '{}' ]\n",
                                     recording_name(options.input), kind, place));
  call.messages.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({}) ]\n",
                                     static_cast<double>(bytes) / 1024.0 / 1024.0, counts));
}

Result<int> convert_into_json(const ConvertOptions& options, OpenedRecording& reader, Invocation& call) {
  auto samples = converted_samples(reader, options, call);
  if (!samples) return std::unexpected(std::move(samples.error()));
  std::optional<OutputFile> file;
  if (options.json != "-") {
    auto opened = create_whole_file(options.json, {.existing = options.force ? Existing::Truncate : Existing::Refuse});
    if (!opened) {
      if (opened.error().system_errno == EEXIST && opened.error().hint.empty())
        opened.error().hint = "--force overwrites it";
      return std::unexpected(std::move(opened.error()));
    }
    file.emplace(std::move(*opened));
  }
  Sink to_file(file ? file->fd() : STDOUT_FILENO);
  Sink& out = file ? to_file : call.out;
  const auto done = convert_to_json(std::move(*samples), file ? options.json : "", out, call.messages);
  if (!done) return std::unexpected(done.error());
  tell_decoding(reader, call);
  PEREGRINE_TRY(flush_file(out, shown_path(options.json)));
  if (!done->outcome) return std::unexpected(done->outcome.error());
  const off_t end = ::lseek(file ? file->fd() : STDOUT_FILENO, 0, SEEK_CUR);
  if (file) PEREGRINE_TRY(file->finish());
  tell_conversion(options, "JSON", shown_path(options.json), end < 0 ? 0 : static_cast<u64>(end),
                  fmt::format("{} samples", done->samples), call);
  return 0;
}

Result<int> convert_into_ctf(const ConvertOptions& options, OpenedRecording& reader, Invocation& call) {
  auto samples = converted_samples(reader, options, call);
  if (!samples) return std::unexpected(std::move(samples.error()));
  const auto done = convert_to_ctf(
      {.folder = options.ctf, .force = options.force, .all = options.all, .wall_clock = options.wall_clock},
      std::move(*samples), call.messages);
  if (!done) return std::unexpected(done.error());
  tell_decoding(reader, call);
  if (!done->outcome) return std::unexpected(done->outcome.error());
  if (done->moved != 0)
    call.messages.warning(counted(done->moved, "record has the time of the one before: it came too late",
                                  "records have the time of the one before: they came too late"));
  const std::string others = done->others == 0 ? "" : fmt::format(", {} non-samples", done->others);
  tell_conversion(options, "CTF", options.ctf, done->bytes, fmt::format("{} samples{}", done->samples, others), call);
  return 0;
}

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
  return options.ctf.empty() ? convert_into_json(options, *reader, call) : convert_into_ctf(options, *reader, call);
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
