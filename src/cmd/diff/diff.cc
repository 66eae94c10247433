// diff: what changed between recordings, row by row, and which changes are statistically significant.
#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/version.h"
#include "cmd/diff/diff_options.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/denied_files.h"
#include "session/diff/diff_file.h"
#include "session/diff/diff_request.h"
#include "session/diff/diff_session.h"
#include "session/export/difference_pictures.h"
#include "session/export/output_target.h"
#include "session/export/picture_request.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"

namespace peregrine::cmd {

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& words) {
  if (words.empty()) return {"perf.data.old", std::string(kDefaultInput)};
  if (words.size() == 1) return {"perf.data.old", words[0]};
  return words;
}

DiffOptions settled(DiffOptions options, Invocation& call) {
  if (options.look.quiet) call.messages.set_quiet(true);
  if (options.look.quiet) options.verbose = 0;
  DiffRequest& request = options.request;
  request.by_stack = options.pictures.any() || options.format.is_profile();
  choose_sides(request.selection, call.config);
  options.look.list_files = options.verbose > 0;
  options.look.intervals = options.intervals.value_or(call.out_is_terminal && options.look.separator.empty());
  options.look.format = options.format.name;
  return options;
}

Result<> check_branches(const DiffRequest& request, const DiffOptions& options, std::size_t files) {
  if (request.cycles_spread && !request.cycles) return fail(ErrorKind::Usage, "--cycles-hist requires -c cycles");
  if (request.streams && files != 2) return fail(ErrorKind::Usage, "--stream requires two files, not {}", files);
  if (request.streams && (request.cycles || !options.format.name.empty()))
    return fail(ErrorKind::Usage, "--stream cannot be combined with -c cycles or --format");
  if ((request.streams || request.cycles) && request.by_stack)
    return fail(ErrorKind::Usage, "--flamegraph and --html cannot be combined with {}",
                request.cycles ? "-c cycles" : "--stream");
  return {};
}

Result<int> draw(const DiffOptions& options, const DiffSession& session, Invocation& call) {
  const auto pair = session.first_and_last();
  if (!pair) return std::unexpected(pair.error());
  if (options.format.is_profile())
    PEREGRINE_TRY(write_folded_difference(options.format, pair->before, pair->after, call.out));
  if (options.pictures.any())
    PEREGRINE_TRY(
        write_difference_pictures(options.pictures, pair->before, pair->after,
                                  {.event = pair->event, .as_counted = options.as_counted, .creator = creator_name()},
                                  {call.out, call.messages}));
  return 0;
}

Result<int> compare(const DiffOptions& parsed, Invocation& call) {
  const DiffOptions options = settled(parsed, call);
  const DiffRequest& request = options.request;
  const std::vector<std::string> names = names_of(call.words);
  auto columns = diff_columns(request);
  if (!columns) return std::unexpected(std::move(columns.error()));
  if (request.order >= names.size()) {
    call.messages.verbatim("Order option out of limit.\n");
    return 255;
  }
  PEREGRINE_TRY(check_branches(request, options, names.size()));
  PEREGRINE_TRY(check_picture_files(options.pictures));
  const DiffReading reading{.dump = options.dump ? &call.out : nullptr,
                            .file = std::string(options.pictures.file(options.format.output)),
                            .listener = call.messages};
  DiffSession session(request, *columns);
  for (std::size_t at = 0; at < names.size(); ++at) {
    auto recording = open_recording(names[at], options.symbols.force, call.messages);
    if (!recording) {
      const bool by_default = call.words.size() < 2 && at + call.words.size() < 2;
      return say_open_error(
          call, names[at], recording.error(), "record",
          by_default ? fmt::format("record twice, or name two files: {} diff OLD NEW", call.messages.program()) : "");
    }
    if (!options.dump) PEREGRINE_TRY(decode_recording(*recording, {}, usual_itrace(), options.symbols, call));
    PEREGRINE_TRY(check_branch_stacks(request, recording->evlist(), names[at]));
    if (!request.selection.cpus.empty() && !samples_have_cpus(recording->evlist(), call.messages)) return 255;
    DiffFileRequest wanted{.compared = request,
                           .keys = columns->keys,
                           .times = times_of_file(request.selection.times, at),
                           .places = symbol_places(options.symbols, call, *recording),
                           .parameters = options.verbose > 0};
    auto file = DiffFile::read(std::move(*recording), std::move(wanted), reading);
    if (!file) return std::unexpected(std::move(file.error()));
    if (!(*file)->outcome()) call.messages.error((*file)->outcome().error());
    session.add(std::move(*file), names[at]);
  }
  warn_about_denied_files(call, session.dsos());  // reported once: recordings mostly have the same binaries
  if (request.by_stack) return draw(options, session, call);
  session.warn_about_absent_events(call.messages);
  session.print(options.look, call.out);
  return 0;
}

}  // namespace

Result<int> diff(DiffOptions& options, Invocation& call) {
  for (const std::string& name : names_of(call.words))
    PEREGRINE_TRY(check_output(options.format.output, recording_name(name)));
  return write_into(options.format, Writing::Whole, options.look.separator, {}, call,
                    [&](Invocation& into) { return compare(options, into); });
}

}  // namespace peregrine::cmd
