// The output of `sched` for a recording: delays, the map of switches, and the history of each CPU. Each takes one pass
// over the recording; losses go to the listener. Main thread only.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sched/sched_latency.h"
#include "analysis/sched/time_history.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/sched/switch_map_text.h"
#include "output/text/sched/time_history_text.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// "avg,max switch", separated by commas or blanks. Errors: Usage.
Result<std::vector<SchedLatencyKey>> parse_latency_keys(std::string_view words);

struct DelayRequest {
  SchedLatency::Request which;  // `window` is set from `times`
  std::string times;            // a single span, "start,stop"; empty: all
  std::vector<SchedLatencyKey> order;
};
// Prints a row for each task and, if requested, the histogram. Errors: Usage (times), a broken file.
Result<> show_delays(TracedRecording& recording, const DelayRequest& request, Sink& out, SessionListener& listener);

struct SwitchMapRequest {
  SwitchMapLook look;
  std::vector<u32> cpus;           // empty: all
  std::vector<std::string> tasks;  // names; empty: all
  bool fuzzy = false;              // match parts of names
};
// Prints each switch as it is read. Errors: a broken file.
Result<> show_switch_map(TracedRecording& recording, const SwitchMapRequest& request, Sink& out,
                         SessionListener& listener);

struct TimeHistoryRequest {
  TimeHistory::Request which;  // `window`, `chain_depth` and the functions are set here
  std::string times;           // a single span; empty: all
  TimeHistoryLook look;        // `cpus` is set here; `chain_depth` applies if the recording has call chains
  bool chains = true;          // were requested
  bool lines = true, sums = false;
};
// Prints each run when it ends, then the sums. Errors: Usage (times), a broken file.
Result<> show_time_history(TracedRecording& recording, TimeHistoryRequest request, Sink& out,
                           SessionListener& listener);

}  // namespace peregrine
