// Explains why rows have no count, or only an estimate: one cause with all affected events. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "event/spec.h"

namespace peregrine {

struct StatCause {
  std::vector<std::string> events;  // without duplicates, in row order
  std::string why;
  std::string hint;  // may be empty
};

// `errors`: by event, the errno of the kernel's refusal, else 0. `has_counters`: this machine has a core PMU.
std::vector<StatCause> stat_causes(const StatTable& table, std::span<const StatRow> rows, std::span<const int> errors,
                                   bool has_counters);

// For counts estimated because of multiplexing: the counted fraction of time, and the size of the error. `turn_ns`: how
// long an event keeps a counter (perf_event_mux_interval_ms).
std::optional<StatCause> stat_estimate(std::span<const StatRow> rows, const EventList& events, double turn_ns);

}  // namespace peregrine
