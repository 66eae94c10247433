// IntelBtsFacts: a recording's parameters of its Intel BTS traces: AUXTRACE_INFO in linux-perf's layout.
#pragma once
#include <optional>

#include "base/types.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

struct IntelBtsFacts {
  u32 pmu_type = 0;  // attr.type of the tracing events
  u64 time_shift = 0, time_multiplier = 1, time_zero = 0;
  bool snapshots = false;
  bool per_cpu = false;

  // Nothing if AUXTRACE_INFO is shorter than in any linux-perf.
  static std::optional<IntelBtsFacts> of(const RecordedTraces& traces);

  // Ticks of the TSC → ns of the recording's clock.
  u64 time_of(u64 ticks) const;
};

}  // namespace peregrine
