// Why rows have no count, for people: one cause with all the events that it stopped. Pure.
#pragma once
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

}  // namespace peregrine
