// CoreSightFacts: what a recording says of the trace units that wrote its CoreSight traces: the words of AUXTRACE_INFO,
// in linux-perf's order, and the records beside the trace that tell where each of its pieces can be decoded.
#pragma once
#include <map>
#include <optional>

#include "auxtrace/coresight/etm_decoder.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

// A part of a trace that was written at once: what an AUX record tells of.
struct CoreSightPart {
  u64 offset = 0, size = 0;  // in the ring
  u64 time = 0;              // ns of the recording's clock
  bool formatted = true;     // in frames
};

struct CoreSightUnit {
  u32 cpu = 0;
  auxtrace::EtmRegisters registers;
};

struct CoreSightFacts {
  u32 pmu_type = 0;  // attr.type of the events that were traced
  std::vector<CoreSightUnit> units;
  u32 skipped = 0;  // units of other kinds (ETMv3, PTM)
  bool per_cpu = false;
  std::map<u32, std::vector<CoreSightPart>> parts;  // by CPU, or by thread

  // The words. Nothing when they end too early, or are of a version that nobody has written yet.
  static std::optional<CoreSightFacts> of(const RecordedTraces& traces);
  // Reads the records beside the trace: parts, and trace ids where the words have none (version 2).
  Result<> read_records(const data::Reader& reader);
};

}  // namespace peregrine
