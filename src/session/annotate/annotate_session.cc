#include "session/annotate/annotate_session.h"

#include <fmt/format.h>

#include <array>
#include <expected>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/type_hits.h"
#include "analysis/data_type/data_type_table.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "output/text/annotate/type_page.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/replay.h"
#include "session/annotate/type_annotator.h"
#include "session/event_names.h"
#include "session/recording/damage.h"
#include "session/recording/losses.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"
#include "session/recording_read.h"
#include "session/report/event_tables.h"
#include "session/report/report_text.h"

namespace peregrine {

namespace {

// linux-perf's text for a recording without samples. If there are `sampled` ones, the symbol has no samples. `near`: a
// sampled symbol with a similar name.
void tell_nothing_found(const AnnotateRequest& request, bool sampled, const std::optional<std::string>& near,
                        SessionListener& listener) {
  if (!sampled || request.symbol.empty())
    listener.verbatim(fmt::format("Error:\nThe {} data has no samples!\n", request.recording));
  if (!request.symbol.empty())
    listener.note(fmt::format("'{}' has no samples in '{}'", request.recording, request.symbol),
                  near ? fmt::format("did you mean '{}'?", *near) : "list the names with: perf report -s symbol");
}

// After a dump of the records: the number of records of each type.
void print_record_counts(const data::Reader& reader, const ReplayAccount& account, const RecordedHits& hits,
                         Sink& out) {
  std::vector<u64> samples;
  for (const Hits& event : hits.totals) samples.push_back(event.samples);
  print_record_stats(event_names(reader), reader.header(), true, account, samples, out);
}

class AnnotatedRecording {
 public:
  AnnotatedRecording(OpenedRecording& reader, SymbolPlaces places, const AnnotateRequest& request, Sink& out,
                     SessionListener& listener)
      : reader_(reader), request_(request), out_(out), listener_(listener), machine_(std::move(places)) {}

  Result<AnnotateEnd> show_code(ReplayOptions replay, const ReaderConfinement& confinement);
  Result<AnnotateEnd> show_types(ReplayOptions replay);

 private:
  std::unordered_set<std::string> dsos() const {
    std::unordered_set<std::string> names;
    add_words(names, request_.dsos);
    return names;
  }
  std::vector<std::vector<u32>> tables() const {
    return event_tables(reader_.evlist(), request_.group, request_.group_given);
  }
  void print_code(const RecordedHits& hits);
  void print_types(const RecordedTypeHits& hits);

  OpenedRecording& reader_;
  const AnnotateRequest& request_;
  Sink& out_;
  SessionListener& listener_;
  Machine machine_;
};

void AnnotatedRecording::print_code(const RecordedHits& hits) {
  if (hits.symbols.empty()) listener_.warning("no samples in a known function", "find them with: perf report");
  CodeAnnotator annotator(machine_, hits, event_names(reader_), request_.listings, request_.look, out_);
  annotator.add_programs(reader_.header());
  for (const std::vector<u32>& events : tables()) annotator.print(events, reader_.evlist());
  annotator.finish(request_.skip_missing ? nullptr : &listener_);
}

Result<AnnotateEnd> AnnotatedRecording::show_code(ReplayOptions replay, const ReaderConfinement& confinement) {
  HitCollector collector({.dsos = dsos(), .symbol = request_.symbol, .runs = true});
  ReadRequest reading{.replay = std::move(replay), .dump = request_.dump ? &out_ : nullptr, .file = request_.file};
  const auto read = read_recording(reader_, machine_, collector, std::move(reading), listener_);
  if (!read) return std::unexpected(read.error());
  const bool hidden = warn_about_denied_files(listener_, std::array{&machine_.dsos()}, confinement);
  warn_about_losses(listener_, read->account, reader_.account());
  tell_decoding(reader_, listener_);
  const RecordedHits hits = collector.hits(reader_.evlist().size());
  if (request_.dump) {
    print_record_counts(reader_, read->account, hits, out_);
    return AnnotateEnd::Shown;
  }
  if (hits.empty()) {
    tell_nothing_found(request_, read->account.samples > 0, collector.nearest_symbol(), listener_);
    const bool unreadable = !request_.symbol.empty() && (hidden || !read->account.unreadable_files.empty());
    return unreadable ? AnnotateEnd::Unreadable : AnnotateEnd::NothingFound;
  }
  print_code(hits);
  warn_about_later_read_failures(listener_, machine_.dsos(), read->account);
  if (!read->outcome) return std::unexpected(read->outcome.error());
  return AnnotateEnd::Shown;
}

void AnnotatedRecording::print_types(const RecordedTypeHits& hits) {
  const AccessedTypes& types = request_.types;
  const TypeRequest shown{.type = types.type,
                          .percent_limit = request_.look.percent_limit,
                          .skip_empty = types.skip_empty,
                          .style = request_.look.style,
                          .format = request_.look.format};
  const u64 printed = print_data_types(shown, hits, tables(), event_names(reader_), reader_.evlist(), out_);
  if (printed == 0 && !types.type.empty())
    listener_.note(fmt::format("no samples access type '{}'", types.type), "list the types with: perf report -s type");
  if (types.counts || types.instructions) return;
  if (const std::string text = unknown_types_text(hits.unknown, hits.samples()); !text.empty()) listener_.warning(text);
}

Result<AnnotateEnd> AnnotatedRecording::show_types(ReplayOptions replay) {
  const AccessedTypes& types = request_.types;
  DataTypeTable table(machine_.dsos());
  TypeHitCollector collector(table, dsos(), types.instructions);
  const auto read =
      read_recording(reader_, machine_, collector, {.replay = std::move(replay), .file = request_.file}, listener_);
  if (!read) return std::unexpected(read.error());
  warn_about_losses(listener_, read->account, reader_.account());
  const RecordedTypeHits hits = collector.hits(reader_.evlist().size());
  if (hits.samples() == 0) {
    tell_nothing_found(request_, false, std::nullopt, listener_);
    return AnnotateEnd::NothingFound;
  }
  if (types.counts) print_type_counts(out_, hits);
  if (types.instructions) print_instruction_counts(out_, hits);
  if (types.members) print_types(hits);
  if (!read->outcome) return std::unexpected(read->outcome.error());
  return AnnotateEnd::Shown;
}

}  // namespace

Result<AnnotateEnd> annotate_recording(OpenedRecording& recording, const SymbolRequest& symbols,
                                       const AnnotateRequest& request, const ReaderConfinement& confinement, Sink& out,
                                       SessionListener& listener) {
  ReplayOptions replay;
  replay.accessing = request.accessing;
  const auto chosen = choose_cpus(request.cpus, recording.evlist(), replay.filter, listener);
  if (!chosen) return std::unexpected(chosen.error());
  if (!*chosen) return AnnotateEnd::NoCpus;
  const AccessedTypes& types = request.types;
  if (!request.look.format.empty() && (types.counts || types.instructions))
    return fail(ErrorKind::Usage, "--format {} cannot be combined with --type-stat or --insn-stat",
                request.look.format);
  AnnotatedRecording annotated(recording, symbol_places(symbols, recording, listener), request, out, listener);
  return types.any() ? annotated.show_types(std::move(replay)) : annotated.show_code(std::move(replay), confinement);
}

}  // namespace peregrine
