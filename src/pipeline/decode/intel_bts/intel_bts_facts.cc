#include "pipeline/decode/intel_bts/intel_bts_facts.h"

#include <algorithm>
#include <cstddef>

#include "base/types.h"

namespace peregrine {
namespace {

__extension__ using Wide = unsigned __int128;

// Indexes of the values in AUXTRACE_INFO.
enum BtsWord : std::size_t {
  kBtsPmuType,
  kBtsTimeShift,
  kBtsTimeMultiplier,
  kBtsTimeZero,
  kBtsHasTimeZero,
  kBtsSnapshots,
  kBtsLeastWords
};

}  // namespace

std::optional<IntelBtsFacts> IntelBtsFacts::of(const RecordedTraces& traces) {
  if (traces.facts.size() < kBtsLeastWords) return std::nullopt;
  IntelBtsFacts facts;
  facts.pmu_type = static_cast<u32>(traces.facts[kBtsPmuType]);
  facts.time_shift = traces.facts[kBtsTimeShift] & 63;
  facts.time_multiplier = std::max<u64>(traces.facts[kBtsTimeMultiplier], 1);
  facts.time_zero = traces.facts[kBtsTimeZero];
  facts.snapshots = traces.facts[kBtsSnapshots] != 0;
  facts.per_cpu = !traces.pieces.empty() && traces.pieces.front().cpu != kNoCpu;
  return facts;
}

u64 IntelBtsFacts::time_of(u64 ticks) const {
  return time_zero + static_cast<u64>((Wide{ticks} * time_multiplier) >> time_shift);
}

}  // namespace peregrine
