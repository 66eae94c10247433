// A latency map as one SVG picture: cells darker where more pairs fell, percentiles as lines, what is above the scale
// in a band of its own. Each cell tells its time, range, count and the share of pairs up to it. Pure.
#pragma once
#include <string>

#include "analysis/field/latency_map.h"
#include "output/sink.h"

namespace peregrine {

struct HeatMapText {
  std::string title, subtitle;
};
void print_latency_heat_map(Sink& out, const LatencyMap& map, const HeatMapText& text);

// "1.5 ms", of nanoseconds.
std::string short_duration(u64 nanoseconds);

}  // namespace peregrine
