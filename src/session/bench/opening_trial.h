// Benchmark of opening, enabling, disabling and closing events. The texts are linux-perf's.
#pragma once
#include "base/result.h"
#include "capture/target/target.h"
#include "event/source.h"
#include "event/spec.h"
#include "output/sink.h"

namespace peregrine {

struct OpeningTrialRequest {
  bool simple = false;
  EventList events;      // empty: a dummy event
  TargetRequest target;  // empty: this process
  unsigned rounds = 100;
  unsigned copies = 1;  // of the events
};

// Errors: as make_target(), configure_for_record() and Recorder::open().
Result<> run_event_opening(const OpeningTrialRequest& request, EventSources& sources, Sink& out);

}  // namespace peregrine
