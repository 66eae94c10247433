// A map of latencies, or of the sizes of requests, as an SVG picture: darker cells have more pairs or requests;
// percentiles are lines; a separate band shows what exceeds the scale. Each cell has its time, range, count and
// cumulative percentage as a tooltip. Pure.
#pragma once
#include <string>

#include "analysis/field/latency_map.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct HeatMapText {
  std::string title, subtitle;
  std::string thing = "pair";  // that is counted; its plural has an s
  bool bytes = false;          // sizes instead of times
};
void print_latency_heat_map(Sink& out, const LatencyMap& map, const HeatMapText& text);

// Formats nanoseconds: "1.5 ms".
std::string short_duration(u64 nanoseconds);

}  // namespace peregrine
