// The breakdowns of a row by kind of data access: op, cache, memory, snoop and dtlb (PERF_SAMPLE_DATA_SRC).
//
// Each breakdown consists of a few metrics, its parts, and each access counts in exactly one part: the parts of a row
// add up to the row. A group holds the combination of parts as one number, the value of SortKey::AccessParts.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "analysis/hist/key/metric.h"
#include "base/types.h"

namespace peregrine {

inline constexpr std::size_t kBreakdowns = 5, kAccessParts = 29;

struct Breakdown {
  std::string_view name;  // for -F
  std::size_t first, count;
};
std::span<const Breakdown> all_breakdowns();
// Null if the metric is not part of a breakdown.
const Breakdown* breakdown_of(Metric metric);

constexpr bool is_access_part(Metric metric) { return metric >= Metric::FirstAccessPart; }
constexpr Metric access_part(std::size_t index) {
  return static_cast<Metric>(static_cast<std::size_t>(Metric::FirstAccessPart) + index);
}
constexpr std::size_t access_part_index(Metric metric) {
  return static_cast<std::size_t>(metric) - static_cast<std::size_t>(Metric::FirstAccessPart);
}
const MetricSpec& access_part_spec(std::size_t index);

// Encodes the parts for a Sample::data_src as one number, and decodes it to their indices among all parts.
u64 access_parts(u64 data_source);
std::array<std::size_t, kBreakdowns> split_access_parts(u64 parts);

}  // namespace peregrine
