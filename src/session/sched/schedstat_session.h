// The scheduler's own statistics (/proc/schedstat) of the time that a command runs: recorded, read back, or shown at
// once. For sched stats. Main thread only.
#pragma once
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
  std::vector<std::string> command;  // empty: until a signal arrives
  std::vector<u32> cpus;             // empty: all
};

// Writes the readings before and after the run to the file `output`, which appears only if the command could be
// started. Errors: the statistics cannot be read, the file cannot be written.
Result<> record_schedstats(const SchedstatRun& run, const std::string& output, HostFeatureRequest host,
                           SessionListener& listener);

// The change during the run, without a recording. Errors: as above; Unsupported if there is none.
Result<SchedstatChange> watch_schedstats(const SchedstatRun& run, SessionListener& listener);

// The change that a recording has; `name` is for errors. Errors: a broken file; Unsupported if it has none.
Result<SchedstatChange> recorded_schedstats(data::Reader& recording, std::string_view name, SessionListener& listener);

}  // namespace peregrine
