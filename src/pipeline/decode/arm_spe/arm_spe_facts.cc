#include "pipeline/decode/arm_spe/arm_spe_facts.h"

#include <algorithm>
#include <cstddef>

#include "abi/attr.h"
#include "auxtrace/arm_spe/data_source.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {
namespace {

// Indexes of the values in AUXTRACE_INFO.
enum SpeWord : std::size_t { kSpePmuType, kSpePerCpu, kSpeWords };

bool samples_times(const data::Event& event) { return event.attr.samples(abi::sample_bit::Time); }

}  // namespace

std::optional<ArmSpeFacts> ArmSpeFacts::of(const data::Reader& reader, const RecordedTraces& traces) {
  if (traces.facts.size() < kSpeWords) return std::nullopt;
  ArmSpeFacts facts;
  facts.pmu_type = static_cast<u32>(traces.facts[kSpePmuType]);
  facts.per_cpu = traces.facts[kSpePerCpu] != 0;
  if (traces.clock) facts.clock = *traces.clock;
  facts.has_clock = facts.clock.multiplier != 0;
  facts.timeless = !facts.has_clock || std::ranges::none_of(reader.evlist().events(), samples_times);
  if (const auto& cpuid = reader.header().features.cpuid) facts.midr = midr_of(*cpuid);
  return facts;
}

// The formulas documented in perf_event.h for perf_event_mmap_page::time_zero and, for short timers, ::time_cycles.
u64 ArmSpeFacts::time_of(u64 ticks) const {
  if (clock.cap_short) ticks = clock.cycles + ((ticks - clock.cycles) & clock.mask);
  const unsigned shift = clock.shift & 63;
  const u64 low = ticks & ((u64{1} << shift) - 1);
  return clock.zero + (ticks >> shift) * clock.multiplier + ((low * clock.multiplier) >> shift);
}

}  // namespace peregrine
