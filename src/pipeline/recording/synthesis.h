// The opening records of a recording, in linux-perf's order, as one buffer.
#pragma once
#include "base/bytes.h"
#include "capture/recorder.h"
#include "capture/synthesis/process.h"
#include "capture/target.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

struct OpeningRequest {
  const Target& target;
  const EventList& events;
  Recorder& recorder;
  std::optional<Pid> workload;  // held back before its exec
  bool data_maps = false;
  bool namespaces = false;
  bool cgroups = false;
  SynthesisScope scope;
  bool build_ids = false;  // in map records
};

void synthesize_opening(const Root& root, const OpeningRequest& request, ByteWriter& out);

}  // namespace peregrine
