// Timeline: a recording over time: what CPUs and tasks did, and all events with their fields. For `view`.
//
// The rows are in packed blocks, in order of time: a picture unpacks the blocks that it shows, or, of more than it can
// draw, shows the overview.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "analysis/hist/picture/stack_profile.h"
#include "analysis/timeline/event_fields.h"
#include "analysis/timeline/timeline_overview.h"
#include "analysis/timeline/timeline_rows.h"
#include "base/types.h"

namespace peregrine {

struct TimelineType {
  std::string name;
  bool tracepoint = false;
  std::vector<TimelineColumn> columns;
  u64 count = 0;
};

struct TimelineTask {
  u32 pid = 0, tid = 0;  // pid 0: unknown
  std::string comm;      // its last name
  u64 run_time = 0;      // ns
  u64 events = 0;
};

struct Timeline {
  u64 start = 0;   // ns of the recording's clock
  u64 length = 0;  // ns
  u64 event_count = 0;
  std::vector<TimelineType> types;   // the recording's events; some may have no samples
  std::vector<TimelineTask> tasks;   // the first is the idle task of all CPUs
  std::vector<u32> cpus;             // ascending
  std::vector<std::string> texts;    // the first is empty
  std::vector<std::string> devices;  // "8:0"
  std::vector<std::string> cgroups;  // paths
  StackProfile stacks;               // without series
  TimelineOverview overview;
  std::vector<TimelineBlock> blocks;  // their bytes may have been taken by a TimelineBlockSink
  std::array<u64, 2> highest{};       // of the steps, by kind; idle states without kAwake
  u64 untimed = 0;                    // samples without a time, which are not in it
  u64 dropped_texts = 0;              // field texts beyond the limit, which are empty
  u64 dropped_slices = 0;             // system calls and I/O requests, of too many at once
  u64 dropped_states = 0;             // of tasks, likewise
};

// Takes the bytes of blocks as soon as they are complete, to compress or count them.
class TimelineBlockSink {
 public:
  virtual ~TimelineBlockSink() = default;
  virtual void take(TimelineBlock& block) = 0;
};

}  // namespace peregrine
