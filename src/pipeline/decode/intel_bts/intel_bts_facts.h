// IntelBtsFacts: what a recording says of the processors that wrote its Intel BTS traces: the words of AUXTRACE_INFO,
// in linux-perf's order.
#pragma once
#include <optional>

#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

struct IntelBtsFacts {
  u32 pmu_type = 0;  // attr.type of the events that were traced
  u64 time_shift = 0, time_multiplier = 1, time_zero = 0;
  bool snapshots = false;
  bool per_cpu = false;

  // Nothing when there are fewer words than every linux-perf wrote.
  static std::optional<IntelBtsFacts> of(const RecordedTraces& traces);

  // Ticks of the TSC → ns of the recording's clock.
  u64 time_of(u64 ticks) const;
};

}  // namespace peregrine
