// annotate: the functions that a recording hit, as assembly and source with the share of samples before each line.
#include <algorithm>

#include "analysis/annotate/hit_collector.h"
#include "base/text/words.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/report/browse.h"
#include "cmd/sandbox/denied_files.h"
#include "session/annotate/code_annotator.h"
#include "session/event_names.h"
#include "session/recording/damage.h"
#include "session/recording_read.h"
#include "session/report/event_tables.h"
#include "session/report/report_text.h"

namespace peregrine::cmd {

namespace {

Result<> settle_options(AnnotateOptions& options, Invocation& call) {
  if (options.quiet) call.messages.set_quiet(true);
  if (options.show_samples && options.show_period)
    return fail(ErrorKind::Usage, "-n and --show-total-period exclude each other");
  if (options.source_prefix_strip && !options.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  PEREGRINE_TRY(refuse_recordings(call));
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "one word only: the symbol to show");
  if (call.words.size() == 1) options.symbol = call.words[0];
  return {};
}

Result<Syntax> syntax_of(const AnnotateOptions& options) {
  const std::string& style = options.disassembler_style;
  if (!options.objdump.empty()) return Syntax::Att;  // that objdump knows what to make of it
  if (style.empty() || style == "att") return Syntax::Att;
  if (style == "intel") return Syntax::Intel;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("-M is att or intel, not `{}'", style)}.with_hint(
      "with --objdump PATH it is whatever that objdump knows"));
}

ListingRequest listing_request(const AnnotateOptions& options, Syntax syntax) {
  return {.syntax = syntax,
          .objdump = options.objdump,
          .objdump_style = options.disassembler_style,
          .places = {options.symbols.sysroot().folder, options.source_prefix, options.source_prefix_strip.value_or(0)},
          .source = options.source && options.format.name.empty(),
          .source_place = options.places || !options.format.name.empty(),
          .types = options.code_with_type};
}

AnnotateLook look_of(const AnnotateOptions& options, const Invocation& call) {
  return {.style = annotate_style(options, call.out_is_terminal),
          .compact = options.stdio2,
          .format = options.format.name,
          .percent_limit = options.percent_limit};
}

}  // namespace

AnnotateStyle annotate_style(const AnnotateOptions& options, bool terminal) {
  return {.type = options.percent_type,
          .column = options.show_samples  ? AnnotateColumn::Samples
                    : options.show_period ? AnnotateColumn::Period
                                          : AnnotateColumn::Percent,
          .code_bytes = options.code_bytes,
          .places = options.places,
          .full_paths = options.full_paths,
          .colors = options.color == ColorMode::Always || (options.color == ColorMode::Auto && terminal),
          .offsets = options.use_offsets,
          .hits = options.verbose > 0};
}

int say_nothing_found(const AnnotateOptions& options, bool sampled, Invocation& call) {
  if (!sampled || options.symbol.empty())
    call.messages.verbatim(fmt::format("Error:\nThe {} data has no samples!\n", recording_name(options.input)));
  if (!options.symbol.empty())
    call.messages.note(fmt::format("no sample lies in a symbol named {}", options.symbol),
                       fmt::format("see the names with: {} report -s symbol", call.messages.program()));
  return 0;
}

namespace {

// -D: the records have been printed; how many there were of each type.
void print_record_counts(const data::Reader& reader, const ReplayAccount& account, const RecordedHits& hits,
                         Sink& out) {
  std::vector<u64> samples;
  for (const Hits& event : hits.totals) samples.push_back(event.samples);
  print_record_stats(event_names(reader), reader.header(), true, account, samples, out);
}

Result<int> print_code(const AnnotateOptions& options, Syntax syntax, OpenedRecording& reader, const Machine& machine,
                       const RecordedHits& hits, const RecordingRead& read, Invocation& call) {
  if (hits.symbols.empty())
    call.messages.warning("no sample lies in a known function",
                          fmt::format("see where they are with: {} report", call.messages.program()));
  CodeAnnotator annotator(machine, hits, event_names(reader), listing_request(options, syntax), look_of(options, call),
                          call.out);
  annotator.add_programs(reader.header());
  for (const std::vector<u32>& events : event_tables(reader.evlist(), options.group, options.group_given))
    annotator.print(events, reader.evlist());
  annotator.finish(options.skip_missing ? nullptr : &call.messages);
  warn_about_later_read_failures(call.messages, machine.dsos(), read.account);
  if (!read.outcome) return std::unexpected(read.outcome.error());
  return 0;
}

Result<int> annotate_recording(AnnotateOptions& options, Invocation& call) {
  PEREGRINE_TRY(settle_options(options, call));
  if (wants_code_screen(options)) {
    ReportOptions browsed = options.browsed();
    if (auto shown = browse_if_wanted(browsed, options.symbol, call)) return std::move(*shown);
  }
  const auto syntax = syntax_of(options);
  if (!syntax) return std::unexpected(syntax.error());
  auto reader = open_recording(options.input, options.symbols.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  PEREGRINE_TRY(decode_recording(*reader, options.traces, usual_itrace(), options.symbols, call));
  ReplayOptions replay_options;
  replay_options.accessing = options.accessing;
  const auto chosen = choose_cpus(options.cpus, reader->evlist(), replay_options.filter, call.messages);
  if (!chosen) return std::unexpected(chosen.error());
  if (!*chosen) return 255;
  if (options.by_type || options.type_counts || options.instruction_counts)
    return annotate_types(options, *reader, std::move(replay_options), call);

  HitRequest request{.symbol = options.symbol, .runs = true};
  add_words(request.dsos, options.dsos);
  HitCollector collector(std::move(request));
  Machine machine(symbol_places(options.symbols, call, *reader));
  ReadRequest reading{
      .replay = std::move(replay_options), .dump = options.dump ? &call.out : nullptr, .file = options.file()};
  const auto read = read_recording(*reader, machine, collector, std::move(reading), call.messages);
  if (!read) return std::unexpected(read.error());
  const bool hidden = warn_about_denied_files(call, machine.dsos());
  warn_about_losses(call, read->account, reader->account());
  tell_decoding(*reader, call);
  const RecordedHits hits = collector.hits(reader->evlist().size());
  if (options.dump) {
    print_record_counts(*reader, read->account, hits, call.out);
    return 0;
  }
  if (hits.empty()) {
    const int code = say_nothing_found(options, read->account.samples > 0, call);
    return !options.symbol.empty() && (hidden || !read->account.unreadable_files.empty()) ? 1 : code;
  }
  return print_code(options, *syntax, *reader, machine, hits, *read, call);
}

}  // namespace

Result<int> annotate(AnnotateOptions& options, Invocation& call) {
  return write_into(options.format, Writing::Whole, {}, options.input, call,
                    [&](Invocation& into) { return annotate_recording(options, into); });
}

}  // namespace peregrine::cmd
