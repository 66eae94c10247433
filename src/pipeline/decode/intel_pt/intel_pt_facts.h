// IntelPtFacts: a recording's parameters of its Intel PT traces: AUXTRACE_INFO in linux-perf's layout.
#pragma once
#include <optional>

#include "auxtrace/intel_pt/flow.h"
#include "base/types.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

struct IntelPtFacts {
  u32 pmu_type = 0;  // attr.type of the tracing events
  u64 time_shift = 0, time_multiplier = 1, time_zero = 0;
  bool has_time_zero = false;
  u64 tsc_bit = 0, no_return_compression_bit = 0;  // of attr.config
  u64 mtc_bit = 0, mtc_period_bits = 0;
  u64 tsc_per_ctc_numerator = 0, tsc_per_ctc_denominator = 0;
  u64 base_ratio = 0;  // max_nonturbo_ratio
  bool snapshots = false;
  bool per_cpu = false;

  // Nothing if AUXTRACE_INFO is shorter than in any linux-perf.
  static std::optional<IntelPtFacts> of(const RecordedTraces& traces);

  // ns of the recording's clock ↔ ticks of the TSC.
  u64 time_of(u64 ticks) const;
  u64 ticks_of(u64 time) const;
  u64 duration_in_ticks(u64 nanoseconds) const;
  // Decoding parameters for an event with that attr.config.
  auxtrace::FlowFacts flow(u64 config) const;
};

}  // namespace peregrine
