// Metrics: what is said beside a counter by looking at other counters of the same place: instructions per cycle, rates,
// miss ratios, CPUs utilised. Pure.
#pragma once
#include <string>
#include <vector>

#include "event/spec.h"

namespace peregrine {

struct StatMetric {
  enum class Style {
    Rate,
    Ratio,
    Percent
  } style = Style::Rate;  // three decimals, two decimals, two and a per cent sign
  double value = 0;
  std::string unit;  // "CPUs utilized", "K/sec", "insn per cycle"
};

// task-clock and cpu-clock: counted in ns, shown in ms.
bool is_clock(const EventSpec& spec);

// What metrics need to know of one place: every event's count there.
struct StatPlaceCounts {
  std::vector<double> counts;  // by event, in events or ns
  std::vector<bool> counted;   // by event
  double wall_ns = 0;          // elapsed time the counts belong to
};

// The metrics of `events[index]`, the first for its own line.
std::vector<StatMetric> stat_metrics(const EventList& events, std::size_t index, const StatPlaceCounts& place);

}  // namespace peregrine
