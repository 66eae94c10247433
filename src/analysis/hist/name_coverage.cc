#include "analysis/hist/name_coverage.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace peregrine {

NameCoverage name_coverage_of(const Hists& hists) {
  NameCoverage result;
  std::map<std::pair<u32, char>, DsoHits> by_dso;
  for (const HistEntry& entry : hists.entries()) {
    const HistFrame& frame = hists.frames()[HistFrameId(entry.leaf)];
    const char level = frame.dso == HistFrame::kNone ? frame.level : '.';
    DsoHits& hits = by_dso[{frame.dso, level}];
    const u64 unnamed = frame.symbol == HistFrame::kNone ? entry.samples : 0;
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
