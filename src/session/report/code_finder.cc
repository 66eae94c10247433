#include "session/report/code_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

Result<AnnotatedCode> CodeFinder::find(const HistFrame& frame, const std::vector<u32>& events) {
  if (frame.dso == HistFrame::kNone || frame.symbol == HistFrame::kNone) {
    return std::unexpected(
        Error{ErrorKind::NotFound, "no symbol covers this address, so there is no code to show"}.with_hint(
            "'Browse map details' lists where symbols were searched"));
  }
  const DsoId dso(frame.dso);
  const SymbolIndex symbol(frame.symbol);
  auto listing = listings_.list(dso, symbol);
  if (!listing) return std::unexpected(std::move(listing.error()));
  AnnotatedCode code{
      .listing = std::move(*listing), .hits = {dso, symbol, {}}, .totals = hits_.totals, .events = events};
  code.add_types = [this, dso, symbol](Listing& into) { listings_.add_types(into, dso, symbol); };
  const auto hit = std::ranges::find_if(
      hits_.symbols, [&](const SymbolHits& each) { return each.dso == dso && each.symbol == symbol; });
  if (hit != hits_.symbols.end()) code.hits = *hit;
  // A function that only calls others has no self samples.
  const std::size_t count = std::ranges::max(events) + std::size_t{1};
  if (code.hits.events.size() < count) code.hits.events.resize(count);
  if (code.totals.size() < count) code.totals.resize(count);
  code.dso = machine_.dsos().at(dso).short_name;
  return code;
}

std::string describe_dso(const DsoTable& dsos, DsoId id) {
  const Dso& dso = dsos.at(id);
  std::string text = fmt::format("{}\n", dso.name);
  if (!dso.build_id.empty()) text += fmt::format("build-id {}\n", dso.build_id.hex());
  const auto& tried = dsos.tried(id);
  if (!tried.empty()) text += "\nSymbols searched in:\n";
  for (const SymbolSource& source : tried)
    text += fmt::format("  {}{}\n", source.path, source.gave == SymbolSet::None ? "" : "  (used)");
  return text;
}

}  // namespace peregrine
