// RecordRequest: what `record` and viewers of live samples sample: the target, how, and where the data goes.
//
// Filled from the options and then unchanged. It contains the requests of the lower stages as they accept them
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
  std::string opened_folder;  // folder for a file per perf_event_open(2) (open_log.h); empty: no files
};

}  // namespace peregrine
