// The records for running processes, in linux-perf's order, as one buffer: at the start of a recording, or at
// its end with --tail-synthesize, and again in each file of --switch-output.
#pragma once
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "capture/sampling/recorder.h"
#include "capture/synthesis/process.h"
#include "capture/target/target.h"
#include "event/config/record_config.h"
#include "event/spec.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// Which records to synthesize for running processes, and when.
struct SynthesisRequest {
  SynthesisScope scope;    // --synth
  unsigned threads = 0;    // threads that read /proc; 0: one per CPU
  u32 map_timeout_ms = 0;  // --proc-map-timeout; 0: no limit
  bool at_end = false;     // --tail-synthesize
};

struct OpeningRequest {
  const Target& target;
  const EventList& events;
  Recorder& recorder;
  const SynthesisRequest& synthesis;
  const RecordConfig& config;
  std::optional<Pid> workload = {};  // for TargetKind::Workload, if running: it and its descendants
};

// Returns the processes with maps that could not be read.
std::vector<Pid> synthesize_opening(const Root& root, const OpeningRequest& request, ByteWriter& out);
// The workload, held before its exec.
void synthesize_held_workload(const Root& root, const OpeningRequest& request, Pid pid, ByteWriter& out);

}  // namespace peregrine
