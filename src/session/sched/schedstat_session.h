// The scheduler's own statistics (/proc/schedstat) while a command runs: recorded, read back, or shown
// immediately. For sched stats. Main thread only.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sched/schedstat_change.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "pipeline/recording/output/host_features.h"
#include "session/session_listener.h"

namespace peregrine {

struct SchedstatRun {
  std::vector<std::string> command;   // empty: until a signal arrives
  std::vector<u32> cpus;              // empty: all
  std::chrono::milliseconds limit{};  // zero: none
};

// Writes the readings before and after the run to the file `output`, which is created only if the command could be
// started. Errors: the statistics cannot be read, the file cannot be written.
Result<> record_schedstats(const SchedstatRun& run, const std::string& output, HostFeatureRequest host,
                           SessionListener& listener);

// The change during the run, without a recording. Errors: as above; Unsupported, the kernel has no statistics.
Result<SchedstatChange> watch_schedstats(const SchedstatRun& run, SessionListener& listener);

// The change stored in a recording; `name` is for errors. Errors: a broken file; Unsupported, it has no statistics.
Result<SchedstatChange> recorded_schedstats(data::Reader& recording, std::string_view name, SessionListener& listener);

}  // namespace peregrine
