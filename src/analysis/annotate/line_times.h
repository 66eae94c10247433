// LineTimes: when the lines of hot functions were hit, for pictures in which a range of time is chosen.
//
// Made of what a HitCollector with a step kept. Slots are joined until there are few enough weights for a picture: they
// may be longer than those of the picture's time line.
#pragma once
#include <span>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/hot_functions.h"

namespace peregrine {

struct LineWeight {
  u32 series = 0, line = 0, slot = 0;  // lines of all functions are counted through
  u64 samples = 0, period = 0;
};

struct LineTimes {
  u64 start = 0, slot_length = 0;  // ns; no length: time was not kept
  u32 slots = 0;
  std::vector<LineWeight> weights;  // by series, line, slot
};

struct LineTimesRequest {
  std::vector<u32> events;  // series n is events[n]
  u64 step = 0;             // of the collector
  u32 slots = 2000;         // at most
  std::size_t weights = 150'000;
};

LineTimes line_times(std::span<const HotFunction> functions, const TimedHits& hits, const LineTimesRequest& request);

}  // namespace peregrine
