#include "analysis/annotate/symbol_hits.h"

#include "base/types.h"

namespace peregrine {

Hits EventHits::between(u64 begin, u64 end) const {
  Hits sum;
  auto at = std::ranges::lower_bound(offsets, begin, {}, &OffsetHits::offset);
  for (; at != offsets.end() && at->offset < end; ++at) sum += at->hits;
  return sum;
}

bool RecordedHits::empty() const {
  return std::ranges::all_of(totals, [](const Hits& hits) { return hits.samples == 0; });
}

std::vector<u32> RecordedHits::hottest(std::span<const u32> events) const {
  return hottest_of(symbols, events, [](const SymbolHits& a, const SymbolHits& b) {
    return a.dso != b.dso ? a.dso < b.dso : a.symbol < b.symbol;
  });
}

double percent(const Hits& part, const Hits& symbol, const Hits& recording, PercentType type) {
  const Hits& whole = type.base == PercentBase::Symbol ? symbol : recording;
  const u64 above = type.of == PercentOf::Period ? part.period : part.samples;
  const u64 below = type.of == PercentOf::Period ? whole.period : whole.samples;
  return below == 0 ? 0 : 100.0 * static_cast<double>(above) / static_cast<double>(below);
}

}  // namespace peregrine
