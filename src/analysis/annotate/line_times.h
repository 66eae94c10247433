// LineTimes: when the lines of hot functions were hit, for pages where a time range can be selected.
//
// Built from a HitCollector with a step. Slots are merged until the number of weights is acceptable for a page, so they
// may be longer than those of the page's time line.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/annotate/hot_functions.h"
#include "base/types.h"

namespace peregrine {

struct LineWeight {
  u32 series = 0, line = 0, slot = 0;  // lines are numbered across all functions
  u64 samples = 0, period = 0;
};

struct LineTimes {
  u64 start = 0, slot_length = 0;  // ns; slot_length 0: time was not kept
  u32 slots = 0;
  std::vector<LineWeight> weights;  // sorted by series, line, slot
};

struct LineTimesRequest {
  std::vector<u32> events;  // series n is events[n]
  u64 step = 0;             // the collector's
  u32 slots = 2000;         // maximum number of weights
  std::size_t weights = 150'000;
};

LineTimes line_times(std::span<const HotFunction> functions, const TimedHits& hits, const LineTimesRequest& request);

}  // namespace peregrine
