// RecordRequest: what `record`, and viewers of live samples, want to sample: whom, how, and where it goes.
//
// Filled from the options and then left as it is. It contains the requests of the lower stages as they take them
// (RecordingRequest of pipeline/recording, RecordConfig of event/config), so that no stage copies fields.
#pragma once
#include <string>

#include "capture/target/target.h"
#include "pipeline/recording/recording.h"

namespace peregrine {

struct RecordRequest {
  TargetRequest target;
  RecordingRequest recording;
  bool latency = false;                       // --latency: context switches, for report --latency
  bool snapshot = false, aux_sample = false;  // of AUX area traces

  bool quiet = false;
  int verbose = 0;            // 1: events and attrs; 2: each perf_event_open(2)
  std::string search_path;    // $PATH, for the workload
  std::string opened_folder;  // where each perf_event_open(2) leaves a file (open_log.h); empty: nowhere
};

}  // namespace peregrine
