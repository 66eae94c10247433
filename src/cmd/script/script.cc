// script: every sample of a recording as text, in time order, in the format that flame graph tools and users' scripts
// read.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "auxtrace/itrace.h"
#include "base/number/number_list.h"
#include "base/result.h"
#include "base/text/words.h"
#include "cli/frame/command.h"
#include "cli/frame/program_name.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/denied_files.h"
#include "cmd/script/script_export.h"
#include "cmd/script/script_filters.h"
#include "cmd/script/script_options.h"
#include "cmd/script/script_places.h"
#include "cmd/script/script_run.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "output/text/dump/header_text.h"
#include "output/text/field/script_plan.h"
#include "pipeline/replay/filter.h"
#include "session/event_names.h"
#include "session/export/output_target.h"
#include "session/recording/opened_recording.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"
#include "session/script/script_filter.h"
#include "session/script/script_lines.h"
#include "session/script/script_lines_request.h"
#include "session/script/script_summary.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

namespace {

// -C, --time, --pid, --tid and --comms. No value: a message was printed instead.
Result<std::optional<SampleFilter>> make_filter(const ScriptOptions& options, const data::Reader& reader,
                                                Invocation& call) {
  SampleFilter filter;
  filter.comms = split_words(options.comms);
  const auto pids = parse_number_list(options.pids), tids = parse_number_list(options.tids);
  if (!pids || !tids) {
    call.messages.verbatim(fmt::format("problems parsing {} list\n", pids ? "tid" : "pid"));
    return std::nullopt;
  }
  filter.pids = *pids;
  filter.tids = *tids;
  if (!options.cpus.empty()) {
    if (!samples_have_cpus(reader.evlist(), call.messages)) return std::nullopt;
    const auto cpus = parse_number_list(options.cpus, kHighestCpu);
    if (!cpus) {
      call.messages.verbatim("Invalid cpu_list\n");
      return std::nullopt;
    }
    filter.cpus = *cpus;
  }
  if (!options.times.empty()) {
    auto times = choose_times(options.times, reader);
    if (!times) {
      if (times.error().message != "Invalid time string") return std::unexpected(std::move(times.error()));
      call.messages.verbatim(fmt::format("Invalid time string\nhint: {}\n", times.error().hint));
      return std::nullopt;
    }
    filter.times = std::move(*times);
  }
  return filter;
}

// Prints messages about options; returns the exit code if the command cannot continue.
std::optional<int> check_options(const ScriptOptions& options, Invocation& call) {
  for (const std::string& warning : options.field_warnings) call.messages.verbatim(warning);
  if (options.guest_code) call.messages.note("--guest-code is ignored: guest code is not resolved");
  if (options.lines.relative && options.lines.delta) {
    return refuse_verbatim(
        call, "reltime and deltatime - the two don't get along well. Please limit to --reltime or --deltatime.");
  }
  return std::nullopt;
}

// Errors (Usage): a dump shows all records, not chosen samples.
Result<> check_conditions(const ScriptOptions& options) {
  if (!options.lines.dumps() || !options.summary.report.has_conditions()) return {};
  return fail(ErrorKind::Usage, "-D cannot be combined with --where, --from and --until: it dumps every record");
}

// Calls were requested, but the recording has no branches.
void warn_about_calls(const ScriptOptions& options, const OpenedRecording& reader, Invocation& call) {
  const bool calls = options.lines.branches != ScriptBranches::All || !options.lines.graph_functions.empty();
  const auto is_branch = [](const data::Event& event) { return is_branch_record(event.attr); };
  if (!calls || reader.decoded || std::ranges::any_of(reader.evlist().events(), is_branch)) return;
  call.messages.note("no calls found: the recording has no branch events",
                     "record them with `record -e branches:u -c 1 -d`");
}

// For a pipe, its name on the command line.
std::string dump_stem(const data::Reader& reader) {
  if (reader.header().layout == data::Layout::Pipe) return recording_name("");
  return reader.path() == "-" ? "pipe" : reader.path();
}

ScriptLinesRequest lines_request(const ScriptOptions& options, const OpenedRecording& reader) {
  ScriptLinesRequest request = options.lines;
  request.format = options.format.name;
  request.columns = options.format.columns;
  request.detailed_counters = options.verbose > 0;
  request.decoded = reader.decoded != nullptr;
  if (options.per_event) request.dump_stem = dump_stem(reader);
  return request;
}

int tell_lack(const Error& error, Invocation& call) {
  return refuse_verbatim(call, with_program_name(call.messages.program(), error.message));
}

Result<int> print_lines(ScriptOptions& options, ScriptLines& lines, ScriptLines::Samples samples,
                        OpenedRecording& reader, Invocation& call) {
  std::unique_ptr<ScriptFilter> chooser;
  if (!options.dlfilter.empty()) {
    auto opened = open_dlfilter(options, call);
    if (!opened) return refuse_verbatim(call, fmt::format("{}: {}", opened.error().message, opened.error().hint));
    chooser = std::move(*opened);
  }
  options.symbols.parameters = options.verbose > 0;
  samples.places = symbol_places(options.symbols, call, reader);
  samples.chooser = chooser.get();
  samples.tell_lack = [&call](const Error& error) { tell_lack(error, call); };
  const auto end = lines.print(std::move(samples), call.out);
  if (!end) return std::unexpected(end.error());
  if (end->is_read) warn_about_denied_files(call, lines.dsos());
  return end->refusal.empty() ? 0 : refuse_verbatim(call, end->refusal);
}

// With a user's script, or as a profile.
Result<int> read_otherwise(ScriptOptions& options, OpenedRecording& reader, Invocation& call) {
  auto filter = make_filter(options, reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;
  const auto gate = make_event_switch(options.switching, event_names(reader), call);
  if (!gate) return 254;
  if (options.format.is_profile()) return export_script(options, std::move(**filter), *gate, reader, call);
  return run_script(options, std::move(**filter), *gate, reader, call);
}

Result<int> print_answers(ScriptOptions& options, const ScriptLines& lines, OpenedRecording& reader, Invocation& call) {
  auto filter = make_filter(options, reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;
  SummarySamples samples{.reader = reader,
                         .formats = lines.formats(),
                         .names = lines.names(),
                         .filter = std::move(**filter),
                         .places = symbol_places(options.symbols, call, reader)};
  PEREGRINE_TRY(print_summary(options.summary, std::move(samples), call.out, call.messages));
  return 0;
}

Result<int> show_recording(ScriptOptions& options, OpenedRecording& reader, Invocation& call) {
  if (!options.generated.empty()) return generate_script(options.generated, reader, call);
  if (!options.script.empty() || options.format.is_profile()) return read_otherwise(options, reader, call);
  ScriptLines lines(lines_request(options, reader), reader, call.messages);
  if (const auto settled = lines.settle_fields(); !settled) return tell_lack(settled.error(), call);
  if (options.summary.any()) return print_answers(options, lines, reader, call);
  lines.make_plan();
  if (lines.lacks_time_of_day()) {
    return refuse_verbatim(call,
                           "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option.");
  }
  PEREGRINE_TRY(lines.check_disassembler());
  auto filter = make_filter(options, reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return 255;
  const auto gate = make_event_switch(options.switching, lines.names(), call);
  if (!gate) return 254;
  return print_lines(options, lines,
                     {.filter = std::move(**filter), .gate = *gate, .conditions = options.summary.report}, reader,
                     call);
}

// `script x.py ARGUMENTS` is `script -s x.py ARGUMENTS`. Errors: is_script_file().
Result<> take_script_file(ScriptOptions& options, Invocation& call) {
  if (!options.script.empty() || options.list || options.list_dlfilters || call.words.empty()) return {};
  const auto is_file = is_script_file(call.words[0]);
  if (!is_file) return std::unexpected(is_file.error());
  if (!*is_file) return {};
  options.script = call.words[0];
  call.words.erase(call.words.begin());
  return {};
}

Result<int> read_recording(ScriptOptions& options, Invocation& call) {
  PEREGRINE_TRY(take_script_file(options, call));
  if (const auto code = check_options(options, call)) return *code;
  PEREGRINE_TRY(check_conditions(options));
  if (options.format.name == "binary" && call.out_is_terminal && options.format.output.empty())
    return std::unexpected(Error{ErrorKind::Usage, "cannot write --format binary to a terminal"}.with_hint(
        "write it to a file (-o FILE) or to a pipe"));
  if (options.list) return list_scripts(call);
  if (options.list_dlfilters) return list_dlfilters(call);
  if (!options.script.empty()) {
    PEREGRINE_TRY(check_script(options, call));
  } else if (!call.words.empty()) {
    return run_named_script(options, call);
  }
  auto reader = open_recording(options.input, options.symbols.force, call.messages);
  if (!reader) return say_open_error(call, options.input, reader.error());
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  if (!options.lines.dump)
    PEREGRINE_TRY(decode_recording(*reader, options.traces, default_itrace(false), options.symbols, call));
  warn_about_calls(options, *reader, call);
  auto code = show_recording(options, *reader, call);
  tell_decoding(*reader, call.messages);
  return code;
}

}  // namespace

Result<int> script(ScriptOptions& options, Invocation& call) {
  const Writing writing = options.format.is_profile() ? Writing::Whole : Writing::AsItGoes;
  return write_into(options.format, writing, {}, options.input, call,
                    [&](Invocation& into) { return read_recording(options, into); });
}

}  // namespace peregrine::cmd
