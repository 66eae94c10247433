#include "pipeline/decode/intel_bts_facts.h"

#include <algorithm>

namespace peregrine {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr u32 kNoCpu = ~u32{0};
// Places of the words.
enum Word : std::size_t { kPmuType, kTimeShift, kTimeMultiplier, kTimeZero, kHasTimeZero, kSnapshots, kLeastWords };

}  // namespace

std::optional<IntelBtsFacts> IntelBtsFacts::of(const RecordedTraces& traces) {
  if (traces.facts.size() < kLeastWords) return std::nullopt;
  IntelBtsFacts facts;
  facts.pmu_type = static_cast<u32>(traces.facts[kPmuType]);
  facts.time_shift = traces.facts[kTimeShift] & 63;
  facts.time_multiplier = std::max<u64>(traces.facts[kTimeMultiplier], 1);
  facts.time_zero = traces.facts[kTimeZero];
  facts.snapshots = traces.facts[kSnapshots] != 0;
  facts.per_cpu = !traces.pieces.empty() && traces.pieces.front().cpu != kNoCpu;
  return facts;
}

u64 IntelBtsFacts::time_of(u64 ticks) const {
  return time_zero + static_cast<u64>((Wide{ticks} * time_multiplier) >> time_shift);
}

}  // namespace peregrine
