// The breakdowns of a row by what its accesses of data were: op, cache, memory, snoop and dtlb (PERF_SAMPLE_DATA_SRC).
//
// Each is a few metrics, its parts, and each access counts in one part of each: the parts of a row add up to the row.
// What an access counts in is told by one number, which groups hold as the value of SortKey::AccessParts.
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "analysis/hist/key/sort_key.h"

namespace peregrine {

inline constexpr std::size_t kBreakdowns = 5, kAccessParts = 29;

struct Breakdown {
  std::string_view name;   // as -F has it
  std::string_view title;  // stands above those of its parts
  std::size_t first, count;
};
std::span<const Breakdown> all_breakdowns();
// Null: the metric is no part of any.
const Breakdown* breakdown_of(Metric metric);

constexpr bool is_access_part(Metric metric) { return metric >= Metric::FirstAccessPart; }
constexpr Metric access_part(std::size_t index) {
  return static_cast<Metric>(static_cast<std::size_t>(Metric::FirstAccessPart) + index);
}
constexpr std::size_t access_part_index(Metric metric) {
  return static_cast<std::size_t>(metric) - static_cast<std::size_t>(Metric::FirstAccessPart);
}
const MetricSpec& access_part_spec(std::size_t index);
// What stands above the part's column where its breakdown's title stands above that.
std::string_view short_header(Metric part);

// The parts that an access with this Sample::data_src counts in, as one number, and back: by their index among all.
u64 access_parts(u64 data_source);
std::array<std::size_t, kBreakdowns> split_access_parts(u64 parts);

}  // namespace peregrine
