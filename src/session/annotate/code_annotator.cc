#include "session/annotate/code_annotator.h"

#include <fmt/format.h>

#include <utility>

#include "abi/attr.h"
#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/dso/dso.h"
#include "output/csv/annotate_csv.h"
#include "session/report/event_tables.h"

namespace peregrine {

namespace {

// The recorded value; 0: the event has a fixed period.
u64 frequency_of(const data::Event& event) {
  return event.attr.has(abi::attr_flag::Freq) ? event.attr.sample_period : 0;
}

}  // namespace

CodeAnnotator::CodeAnnotator(const Machine& machine, const RecordedHits& hits, std::vector<std::string> names,
                             ListingRequest listings, AnnotateLook look, Sink& out)
    : machine_(machine),
      hits_(hits),
      names_(std::move(names)),
      types_(listings.types),
      listings_(machine, std::move(listings)),
      look_(std::move(look)),
      out_(out) {
  if (look_.format == "csv") print_annotate_csv_titles(out_, types_);
  if (look_.format.starts_with("json")) json_.emplace(out_, look_.style.type, look_.format == "jsonl");
}

void CodeAnnotator::print(const std::vector<u32>& events, const data::Evlist& evlist) {
  for (const u32 index : hits_.hottest(events)) {
    const SymbolHits& symbol = hits_.symbols[index];
    const double share = percent(symbol.events[events[0]].total, {}, hits_.totals[events[0]],
                                 {PercentBase::Recording, PercentOf::Period});
    if (share >= look_.percent_limit) print_symbol(symbol, events, evlist);
  }
}

void CodeAnnotator::print_symbol(const SymbolHits& symbol, const std::vector<u32>& events, const data::Evlist& evlist) {
  auto listing = listings_.list(symbol.dso, symbol.symbol);
  if (!listing) {
    Reason& reason = missing_[listing.error().message];
    reason.hint = listing.error().hint;
    reason.symbols.push_back(machine_.dsos().symbol_name(symbol.dso, symbol.symbol));
    return;
  }
  const Dso& dso = machine_.dsos().at(symbol.dso);
  const std::string event = table_name(names_, evlist, events);
  const AnnotatePage page{.listing = *listing,
                          .hits = symbol,
                          .totals = hits_.totals,
                          .events = events,
                          .dso = look_.style.full_paths ? dso.name : dso.short_name,
                          .dso_path = dso.name,
                          .event = event,
                          .frequency = frequency_of(evlist[events[0]])};
  if (!look_.format.empty()) return print_formatted(page);
  if (look_.style.places) print_hot_places(out_, page, look_.style);
  if (look_.compact)
    print_compact_page(out_, page, look_.style);
  else
    print_annotate_page(out_, page, look_.style);
}

void CodeAnnotator::print_formatted(const AnnotatePage& page) {
  std::vector<std::string> names;
  for (const u32 event : page.events) names.push_back(names_[event]);
  if (json_)
    json_->print(page, names);
  else
    print_annotate_csv(out_, page, names, look_.style.type, types_);
}

void CodeAnnotator::finish(SessionListener* listener) {
  if (json_) json_->finish();
  if (listener == nullptr) return;
  for (const auto& [message, reason] : missing_) {
    std::string text = fmt::format("cannot annotate {}", reason.symbols[0]);
    if (reason.symbols.size() > 1) text += fmt::format(" and {} more", reason.symbols.size() - 1);
    listener->warning(fmt::format("{}: {}", text, message), reason.hint);
  }
}

}  // namespace peregrine
