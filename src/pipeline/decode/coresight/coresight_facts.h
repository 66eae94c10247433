// CoreSightFacts: a recording's parameters of its CoreSight traces: AUXTRACE_INFO in linux-perf's layout, and the
// records that say where each piece of the trace can be decoded.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "auxtrace/coresight/etm_decoder.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

// A part of a trace written at once, as described by an AUX record.
struct CoreSightPart {
  u64 offset = 0, size = 0;  // in the ring
  u64 time = 0;              // ns of the recording's clock
  bool formatted = true;     // consists of frames
};

struct CoreSightUnit {
  u32 cpu = 0;
  auxtrace::EtmRegisters registers;
};

struct CoreSightFacts {
  u32 pmu_type = 0;  // attr.type of the tracing events
  std::vector<CoreSightUnit> units;
  u32 skipped = 0;  // units of other kinds (ETMv3, PTM)
  bool per_cpu = false;
  std::map<u32, std::vector<CoreSightPart>> parts;  // by CPU, or by thread

  // Parses AUXTRACE_INFO. Nothing if it is too short or has an unknown version.
  static std::optional<CoreSightFacts> of(const RecordedTraces& traces);
  // Reads the records for parts, and for trace ids missing in AUXTRACE_INFO (version 2).
  Result<> read_records(const data::Reader& reader);
};

}  // namespace peregrine
