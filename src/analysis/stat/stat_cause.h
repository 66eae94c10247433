// Why rows have no count, or only an estimate, for people: one cause with all the events that it stopped. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"

namespace peregrine {

struct StatCause {
  std::vector<std::string> events;  // each once, in the order of the rows
  std::string why;
  std::string hint;  // may be empty
};

// `errors`: by event, the errno with which the kernel refused it, else 0. `has_counters`: this machine gives a PMU of
// the cores.
std::vector<StatCause> stat_causes(const StatTable& table, std::span<const StatRow> rows, std::span<const int> errors,
                                   bool has_counters);

// Of counts that are estimates, since their events shared counters with others: for how much of the time they were
// counted, and how large the error is. `turn_ns`: how long an event keeps a counter (perf_event_mux_interval_ms).
std::optional<StatCause> stat_estimate(std::span<const StatRow> rows, const EventList& events, double turn_ns);

}  // namespace peregrine
