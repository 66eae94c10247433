#include "pipeline/decode/intel_pt/intel_pt_facts.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/types.h"

namespace peregrine {
namespace {

__extension__ using Wide = unsigned __int128;

// Indexes of the values in AUXTRACE_INFO.
enum PtWord : std::size_t {
  kPtPmuType,
  kPtTimeShift,
  kPtTimeMultiplier,
  kPtTimeZero,
  kPtHasTimeZero,
  kPtTscBit,
  kPtNoReturnCompressionBit,
  kPtHasSwitches,
  kPtSnapshots,
  kPtPerCpu,
  kPtLeastWords,
  kPtMtcBit = kPtLeastWords,
  kPtMtcPeriodBits,
  kPtTscPerCtcNumerator,
  kPtTscPerCtcDenominator,
  kPtCycBit,
  kPtBaseRatio,
};

}  // namespace

std::optional<IntelPtFacts> IntelPtFacts::of(const RecordedTraces& traces) {
  const auto word = [&](std::size_t at) { return at < traces.facts.size() ? traces.facts[at] : 0; };
  if (traces.facts.size() < kPtLeastWords) return std::nullopt;
  IntelPtFacts facts;
  facts.pmu_type = static_cast<u32>(word(kPtPmuType));
  facts.time_shift = word(kPtTimeShift) & 63;
  facts.time_multiplier = std::max<u64>(word(kPtTimeMultiplier), 1);
  facts.time_zero = word(kPtTimeZero);
  facts.has_time_zero = word(kPtHasTimeZero) != 0;
  facts.tsc_bit = word(kPtTscBit);
  facts.no_return_compression_bit = word(kPtNoReturnCompressionBit);
  facts.snapshots = word(kPtSnapshots) != 0;
  facts.per_cpu = word(kPtPerCpu) != 0;
  facts.mtc_bit = word(kPtMtcBit);
  facts.mtc_period_bits = word(kPtMtcPeriodBits);
  facts.tsc_per_ctc_numerator = word(kPtTscPerCtcNumerator);
  facts.tsc_per_ctc_denominator = word(kPtTscPerCtcDenominator);
  facts.base_ratio = word(kPtBaseRatio);
  return facts;
}

u64 IntelPtFacts::time_of(u64 ticks) const {
  return time_zero + static_cast<u64>((Wide{ticks} * time_multiplier) >> time_shift);
}

u64 IntelPtFacts::ticks_of(u64 time) const { return duration_in_ticks(time - time_zero); }

u64 IntelPtFacts::duration_in_ticks(u64 nanoseconds) const {
  return static_cast<u64>((Wide{nanoseconds} << time_shift) / time_multiplier);
}

auxtrace::FlowFacts IntelPtFacts::flow(u64 config) const {
  auxtrace::FlowFacts flow;
  if (mtc_period_bits != 0) {
    const auto shift = static_cast<unsigned>(std::countr_zero(mtc_period_bits));
    flow.clock.mtc_shift = static_cast<unsigned>((config & mtc_period_bits) >> shift) & 15;
  }
  flow.clock.tsc_per_ctc_numerator = tsc_per_ctc_numerator;
  flow.clock.tsc_per_ctc_denominator = tsc_per_ctc_denominator;
  flow.clock.base_ratio = base_ratio;
  flow.compressed_returns = (config & no_return_compression_bit) == 0;
  return flow;
}

}  // namespace peregrine
