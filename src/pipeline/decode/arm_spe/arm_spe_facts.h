// ArmSpeFacts: a recording's parameters of its Arm SPE traces: AUXTRACE_INFO in linux-perf's layout, and the clock of
// TIME_CONV.
#pragma once
#include <optional>

#include "abi/session_record.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

struct ArmSpeFacts {
  u32 pmu_type = 0;  // attr.type of the tracing events
  bool per_cpu = false;
  bool timeless = false;  // no event samples times, or the trace's times cannot be converted
  u64 midr = 0;           // of the processors; see auxtrace/arm_spe/data_source.h
  abi::TimeConvRecord clock;
  bool has_clock = false;

  // Nothing if AUXTRACE_INFO is shorter than in any linux-perf.
  static std::optional<ArmSpeFacts> of(const data::Reader& reader, const RecordedTraces& traces);

  // Converts generic timer ticks to ns of the recording's clock.
  u64 time_of(u64 ticks) const;
};

}  // namespace peregrine
