// ArmSpeFacts: what a recording says of the processors that wrote its Arm SPE traces: the words of AUXTRACE_INFO, in
// linux-perf's order, and the clock of TIME_CONV.
#pragma once
#include <optional>

#include "data/reader/reader.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

struct ArmSpeFacts {
  u32 pmu_type = 0;  // attr.type of the events that were traced
  bool per_cpu = false;
  bool timeless = false;  // no event of the recording samples times, or nothing tells those of the trace
  u64 midr = 0;           // of its processors, see auxtrace/arm_spe/data_source.h
  abi::TimeConvRecord clock;
  bool has_clock = false;

  // Nothing when there are fewer words than every linux-perf wrote.
  static std::optional<ArmSpeFacts> of(const data::Reader& reader, const RecordedTraces& traces);

  // ns of the recording's clock, of ticks of the generic timer.
  u64 time_of(u64 ticks) const;
};

}  // namespace peregrine
