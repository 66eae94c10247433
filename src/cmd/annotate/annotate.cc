// annotate: the functions that a recording hit, as assembly and source with the share of samples before each line.
#include <algorithm>
#include <map>
#include <optional>

#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/symbol_listings.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/recording/damage.h"
#include "cmd/report/browse.h"
#include "cmd/report/event_tables.h"
#include "cmd/sandbox/denied_files.h"
#include "output/csv/annotate_csv.h"
#include "output/json/annotate_json.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/report/report_page.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"

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

// A symbol's code could not be shown: why, and how many share the reason.
class Missing {
 public:
  void add(const std::string& symbol, const Error& error) {
    Reason& reason = reasons_[error.message];
    reason.hint = error.hint;
    reason.symbols.push_back(symbol);
  }
  void say(Messages& messages) const {
    for (const auto& [message, reason] : reasons_) {
      std::string text = fmt::format("cannot annotate {}", reason.symbols[0]);
      if (reason.symbols.size() > 1) text += fmt::format(" and {} more", reason.symbols.size() - 1);
      messages.warning(fmt::format("{}: {}", text, message), reason.hint);
    }
  }

 private:
  struct Reason {
    std::string hint;
    std::vector<std::string> symbols;
  };
  std::map<std::string, Reason> reasons_;
};

class Annotator {
 public:
  // `names`: of all events.
  Annotator(const AnnotateOptions& options, Syntax syntax, const Machine& machine, const RecordedHits& hits,
            const std::vector<std::string>& names, Invocation& call)
      : options_(options),
        machine_(machine),
        hits_(hits),
        listings_(machine, listing_request(options, syntax)),
        call_(call),
        style_(annotate_style(options, call.out_is_terminal)),
        names_(names) {
    if (options.format.name == "csv") print_annotate_csv_titles(call.out, options.code_with_type);
    if (options.format.name.starts_with("json"))
      json_.emplace(call.out, options.percent_type, options.format.name == "jsonl");
  }

  void add_programs(const data::Header& header) { listings_.add_programs(header.features, header.order); }

  void print(const std::vector<u32>& events, const std::string& event_name, u64 frequency) {
    for (const u32 index : hits_.hottest(events)) {
      const SymbolHits& symbol = hits_.symbols[index];
      const double share = percent(symbol.events[events[0]].total, {}, hits_.totals[events[0]],
                                   {PercentBase::Recording, PercentOf::Period});
      if (share < options_.percent_limit) continue;
      print_symbol(symbol, events, event_name, frequency);
    }
  }

  void finish() {
    if (json_) json_->finish();
    if (!options_.skip_missing) missing_.say(call_.messages);
  }

 private:
  static ListingRequest listing_request(const AnnotateOptions& options, Syntax syntax) {
    return {
        .syntax = syntax,
        .objdump = options.objdump,
        .objdump_style = options.disassembler_style,
        .places = {options.symbols.sysroot().folder, options.source_prefix, options.source_prefix_strip.value_or(0)},
        .source = options.source && options.format.name.empty(),
        .source_place = options.places || !options.format.name.empty(),
        .types = options.code_with_type};
  }

  void print_symbol(const SymbolHits& symbol, const std::vector<u32>& events, const std::string& event_name,
                    u64 frequency) {
    const std::string name = machine_.dsos().symbol_name(symbol.dso, symbol.symbol);
    auto listing = listings_.list(symbol.dso, symbol.symbol);
    if (!listing) {
      missing_.add(name, listing.error());
      return;
    }
    const Dso& dso = machine_.dsos().at(symbol.dso);
    const AnnotatePage page{.listing = *listing,
                            .hits = symbol,
                            .totals = hits_.totals,
                            .events = events,
                            .dso = options_.full_paths ? dso.name : dso.short_name,
                            .dso_path = dso.name,
                            .event = event_name,
                            .frequency = frequency};
    if (!options_.format.name.empty()) {
      print_formatted(page);
      return;
    }
    if (style_.places) print_hot_places(call_.out, page, style_);
    if (options_.stdio2)
      print_compact_page(call_.out, page, style_);
    else
      print_annotate_page(call_.out, page, style_);
  }

  void print_formatted(const AnnotatePage& page) {
    std::vector<std::string> names;
    for (const u32 event : page.events) names.push_back(names_[event]);
    if (json_)
      json_->print(page, names);
    else
      print_annotate_csv(call_.out, page, names, style_.type, options_.code_with_type);
  }

  const AnnotateOptions& options_;
  const Machine& machine_;
  const RecordedHits& hits_;
  SymbolListings listings_;
  Invocation& call_;
  AnnotateStyle style_;
  Missing missing_;
  const std::vector<std::string>& names_;
  std::optional<AnnotateJson> json_;
};

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

u64 frequency_of(const data::Event& event) {
  return event.attr.has(abi::attr_flag::Freq) ? event.attr.sample_period : 0;
}

// -D: the records have been printed; how many there were of each type.
void print_record_counts(const data::Reader& reader, const ReplayAccount& account, const RecordedHits& hits,
                         Sink& out) {
  const std::vector<std::string> names = event_names(reader);
  std::vector<EventCounts> events;
  for (u32 event = 0; event < names.size(); ++event) {
    const u64 lost = event < account.events.size() ? account.events[event].lost_samples : 0;
    if (hits.totals[event].samples != 0) events.push_back({names[event], hits.totals[event].samples, lost});
  }
  print_stats(out, account.records, events, reader.header().has(data::FeatureId::Auxtrace));
}

Result<int> read_recording(AnnotateOptions& options, Invocation& call) {
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
  const auto chosen = choose_cpus(options.cpus, reader->evlist(), replay_options.filter, call);
  if (!chosen) return std::unexpected(chosen.error());
  if (!*chosen) return 255;
  if (options.by_type || options.type_counts || options.instruction_counts)
    return annotate_types(options, *reader, std::move(replay_options), call);

  HitRequest request{.symbol = options.symbol, .runs = true};
  for (std::string& word : split_words(options.dsos)) request.dsos.insert(std::move(word));
  HitCollector collector(std::move(request));
  Machine machine(symbol_places(options.symbols, call, *reader));
  replay_options.every_record = options.dump;
  if (options.dump) replay_options.workers = 1;
  Replay replay(*reader, machine, std::move(replay_options));
  RawDumpSink dump(RawDump(*reader, event_names(*reader), RawDump::Command::Report), collector, call.out);
  const Result<> outcome = replay.run(options.dump ? static_cast<ReplaySink&>(dump) : collector);
  const bool hidden = warn_about_denied_files(call, machine.dsos());
  warn_about_losses(call, replay.account(), reader->account());
  tell_decoding(*reader, call);
  const RecordedHits hits = collector.hits(reader->evlist().size());
  if (options.dump) {
    print_record_counts(*reader, replay.account(), hits, call.out);
    return 0;
  }
  if (hits.empty()) {
    const int code = say_nothing_found(options, replay.account().samples > 0, call);
    return !options.symbol.empty() && (hidden || !replay.account().unreadable_files.empty()) ? 1 : code;
  }

  if (hits.symbols.empty())
    call.messages.warning("no sample lies in a known function",
                          fmt::format("see where they are with: {} report", call.messages.program()));
  const std::vector<std::string> names = event_names(*reader);
  Annotator annotator(options, *syntax, machine, hits, names, call);
  annotator.add_programs(reader->header());
  for (const std::vector<u32>& events : event_tables(reader->evlist(), options.group, options.group_given))
    annotator.print(events, table_name(names, reader->evlist(), events), frequency_of(reader->evlist()[events[0]]));
  annotator.finish();
  warn_about_later_read_failures(call, machine.dsos(), replay.account());
  if (!outcome) return std::unexpected(outcome.error());
  return 0;
}

}  // namespace

Result<int> annotate(AnnotateOptions& options, Invocation& call) {
  return write_into(options.format, Writing::Whole, {}, options.input, call,
                    [&](Invocation& into) { return read_recording(options, into); });
}

}  // namespace peregrine::cmd
