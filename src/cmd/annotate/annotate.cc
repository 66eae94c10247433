// annotate: the functions that a recording hit, as assembly and source with the share of samples before each line.
#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>

#include "analysis/annotate/symbol_listings.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"
#include "cmd/report/browse.h"
#include "cmd/report/report_options.h"
#include "cmd/sandbox/denied_files.h"
#include "insn/instruction.h"
#include "output/text/annotate/annotate_page.h"
#include "session/annotate/annotate_session.h"
#include "session/annotate/code_annotator.h"
#include "session/export/output_target.h"
#include "session/recording/symbol_request.h"
#include "session/recording/trace_choice.h"

namespace peregrine::cmd {

namespace {

Result<AnnotateOptions> settled(AnnotateOptions options, Invocation& call) {
  if (options.quiet) call.messages.set_quiet(true);
  if (options.numbers.show_samples && options.numbers.show_period)
    return fail(ErrorKind::Usage, "-n cannot be combined with --show-total-period");
  if (options.code.source_prefix_strip && !options.code.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  PEREGRINE_TRY(refuse_recordings(call));
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "expected one symbol");
  if (call.words.size() == 1) options.counted.symbol = call.words[0];
  return options;
}

Result<Syntax> syntax_of(const AnnotateOptions& options) {
  const std::string& style = options.code.disassembler_style;
  if (!options.code.objdump.empty()) return Syntax::Att;  // that objdump knows what to make of it
  if (style.empty() || style == "att") return Syntax::Att;
  if (style == "intel") return Syntax::Intel;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid -M '{}': must be att or intel", style)}.with_hint(
      "for other styles, add --objdump PATH"));
}

ListingRequest listing_request(const AnnotateOptions& options, Syntax syntax) {
  return {.syntax = syntax,
          .objdump = options.code.objdump,
          .objdump_style = options.code.disassembler_style,
          .places = {options.symbols.sysroot().folder, options.code.source_prefix,
                     options.code.source_prefix_strip.value_or(0)},
          .source = options.code.source && options.format.name.empty(),
          .source_place = options.code.places || !options.format.name.empty(),
          .types = options.code.code_with_type};
}

AnnotateLook look_of(const AnnotateOptions& options, bool terminal) {
  return {.style = {.type = options.numbers.percent_type,
                    .column = options.numbers.show_samples  ? AnnotateColumn::Samples
                              : options.numbers.show_period ? AnnotateColumn::Period
                                                            : AnnotateColumn::Percent,
                    .code_bytes = options.code.code_bytes,
                    .places = options.code.places,
                    .full_paths = options.code.full_paths,
                    .colors = wants_color(options.screen.color, terminal),
                    .offsets = options.code.use_offsets,
                    .hits = options.verbose > 0,
                    .frame = options.code.source || options.code.source_frame},
          .compact = options.screen.stdio2,
          .format = options.format.name,
          .percent_limit = options.counted.percent_limit};
}

AnnotateRequest annotate_request(const AnnotateOptions& options, Syntax syntax, bool terminal) {
  return {.recording = recording_name(options.input),
          .dsos = options.counted.dsos,
          .cpus = options.counted.cpus,
          .symbol = options.counted.symbol,
          .accessing = options.counted.accessing,
          .group = options.counted.group,
          .group_given = options.counted.group_given,
          .listings = listing_request(options, syntax),
          .look = look_of(options, terminal),
          .types = options.counted.types,
          .skip_missing = options.counted.skip_missing,
          .dump = options.dump,
          .file = options.format.output == "-" ? std::string() : options.format.output};
}

int exit_code_of(AnnotateEnd end) {
  switch (end) {
    case AnnotateEnd::Shown:
    case AnnotateEnd::NothingFound:
      return 0;
    case AnnotateEnd::Unreadable:
      return 1;
    case AnnotateEnd::NoCpus:
      break;
  }
  return 255;
}

Result<int> open_and_annotate(const AnnotateOptions& parsed, Invocation& call) {
  const auto settled_options = settled(parsed, call);
  if (!settled_options) return std::unexpected(settled_options.error());
  const AnnotateOptions& options = *settled_options;
  if (wants_code_screen(options))
    if (auto shown = browse_if_wanted(options.browsed().settled(call.config), options.counted.symbol, call))
      return std::move(*shown);
  const auto syntax = syntax_of(options);
  if (!syntax) return std::unexpected(syntax.error());
  auto recording = open_recording(options.input, options.symbols.force, call.messages);
  if (!recording) return say_open_error(call, options.input, recording.error());
  const SymbolRequest symbols = symbol_request(options.symbols, call.config);
  PEREGRINE_TRY(decode_recording(*recording, {.choice = options.traces, .usual = usual_itrace(), .symbols = symbols},
                                 call.messages));
  const auto end = annotate_recording(*recording, symbols, annotate_request(options, *syntax, call.out_is_terminal),
                                      confinement_of(call), call.out, call.messages);
  if (!end) return std::unexpected(end.error());
  return exit_code_of(*end);
}

}  // namespace

Result<int> annotate(AnnotateOptions& options, Invocation& call) {
  return write_into(options.format, Writing::Whole, {}, options.input, call,
                    [&](Invocation& into) { return open_and_annotate(options, into); });
}

}  // namespace peregrine::cmd
