#include "analysis/annotate/symbol_hits.h"

#include <algorithm>

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
  std::vector<u32> order;
  for (u32 i = 0; i < symbols.size(); ++i) {
    const bool hit =
        std::ranges::any_of(events, [&](u32 event) { return symbols[i].events[event].total.samples != 0; });
    if (hit) order.push_back(i);
  }
  std::ranges::sort(order, [&](u32 left, u32 right) {
    const SymbolHits& a = symbols[left];
    const SymbolHits& b = symbols[right];
    for (const u32 event : events) {
      const u64 first = a.events[event].total.period, second = b.events[event].total.period;
      if (first != second) return first > second;
    }
    return a.dso != b.dso ? a.dso < b.dso : a.symbol < b.symbol;
  });
  return order;
}

double percent(const Hits& part, const Hits& symbol, const Hits& recording, PercentType type) {
  const Hits& whole = type.base == PercentBase::Symbol ? symbol : recording;
  const u64 above = type.of == PercentOf::Period ? part.period : part.samples;
  const u64 below = type.of == PercentOf::Period ? whole.period : whole.samples;
  return below == 0 ? 0 : 100.0 * static_cast<double>(above) / static_cast<double>(below);
}

}  // namespace peregrine
