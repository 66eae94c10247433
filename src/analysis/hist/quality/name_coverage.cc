#include "analysis/hist/quality/name_coverage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/function_extent.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

namespace {

// By dso: whether no file with the full symbol table was found.
std::vector<bool> stripped_dsos(const DsoTable& dsos) {
  std::vector<bool> result;
  for (u32 at = 0; at < dsos.size(); ++at) {
    const DsoId id(at);
    const bool whole = std::ranges::find(dsos.tried(id), SymbolSet::All, &SymbolSource::gave) != dsos.tried(id).end();
    result.push_back(dsos.at(id).kind == DsoKind::File && !whole && !dsos.tried(id).empty());
  }
  return result;
}

bool is_named(const HistFrame& frame, const DsoTable& dsos, const std::vector<bool>& stripped) {
  if (frame.symbol == HistFrame::kNone) return false;
  if (frame.dso >= stripped.size() || !stripped[frame.dso]) return true;
  const SymbolTable& table = dsos.symbols(DsoId(frame.dso));
  if (frame.symbol >= table.size()) return true;
  return !is_unnamed_function(table.name(SymbolIndex(frame.symbol)), table.start(SymbolIndex(frame.symbol)));
}

}  // namespace

NameCoverage name_coverage_of(const Hists& hists, const DsoTable& dsos) {
  NameCoverage result;
  const std::vector<bool> stripped = stripped_dsos(dsos);
  std::vector<bool> named;  // by frame
  for (u32 at = 0; at < hists.frames().size(); ++at)
    named.push_back(is_named(hists.frames()[HistFrameId(at)], dsos, stripped));
  std::map<std::pair<u32, char>, DsoHits> by_dso;
  for (const HistEntry& entry : hists.entries()) {
    const HistFrame& frame = hists.frames()[HistFrameId(entry.leaf)];
    const char level = frame.dso == HistFrame::kNone ? frame.level : '.';
    DsoHits& hits = by_dso[{frame.dso, level}];
    const u64 unnamed = named[entry.leaf] ? 0 : entry.samples;
    hits = {frame.dso, level, hits.samples + entry.samples, hits.unnamed + unnamed};
    result.samples += entry.samples;
    result.unnamed += unnamed;
  }
  for (const auto& [key, hits] : by_dso) result.dsos.push_back(hits);
  std::ranges::stable_sort(result.dsos, [](const DsoHits& a, const DsoHits& b) {
    return std::tie(a.unnamed, a.samples) > std::tie(b.unnamed, b.samples);
  });
  return result;
}

}  // namespace peregrine
