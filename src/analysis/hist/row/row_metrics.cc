// RowTable's metrics: the columns they need, and their values.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Metric::Weight1 to Weight3 are the means of these.
std::array<SortKey, 3> weight_keys() { return {SortKey::LocalWeight, SortKey::LocalLatency, SortKey::LocalStage}; }
constexpr std::array kWeightMetrics{Metric::Weight1, Metric::Weight2, Metric::Weight3};

bool is_part(const Column& column) { return column.is_metric && is_access_part(column.metric); }

}  // namespace

std::vector<SortKey> collected_keys(const Columns& columns, bool parallelism) {
  std::vector<SortKey> keys = columns.keys;
  const auto add = [&](SortKey key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  if (parallelism) add(SortKey::Parallelism);
  for (std::size_t which = 0; which < kWeightMetrics.size(); ++which)
    if (std::ranges::find(columns.order, column_of(kWeightMetrics[which])) != columns.order.end())
      add(weight_keys()[which]);
  if (std::ranges::any_of(columns.shown, is_part)) add(SortKey::AccessParts);
  return keys;
}

// Index of a key in a group's values, whether or not the key is a column; -1 if it was not collected.
int RowTable::column_of_group(SortKey key) const {
  return group_column(request_.collected.empty() ? request_.columns.keys : request_.collected, key);
}

void RowTable::find_columns() {
  parallelism_column_ = column_of_group(SortKey::Parallelism);
  parts_column_ = column_of_group(SortKey::AccessParts);
  for (std::size_t which = 0; which < kWeightMetrics.size(); ++which)
    weight_columns_[which] = column_of_group(weight_keys()[which]);
}

// Hides the parts of breakdowns that are zero in all rows.
void RowTable::drop_empty_parts() {
  if (parts_column_ < 0) return;
  std::array<bool, kAccessParts> used{};
  for (std::size_t at = 0; at < parts_.size(); ++at)
    if (parts_[at] != 0) used[at % kAccessParts] = true;
  std::erase_if(request_.columns.shown,
                [&](const Column& column) { return is_part(column) && !used[access_part_index(column.metric)]; });
}

u64 RowTable::value(const Row& row, Metric metric, std::size_t member) const {
  const RowSums& own = sums(row, member);
  const std::size_t at = row.sums * members() + member;
  const ModePeriods modes = modes_.empty() ? ModePeriods{} : modes_[at];
  if (is_access_part(metric)) return parts_column_ < 0 ? 0 : parts_[at * kAccessParts + access_part_index(metric)];
  switch (metric) {
    case Metric::Overhead:
    case Metric::Period:
      return own.period;
    case Metric::OverheadChildren:
      return own.children;
    case Metric::Samples:
      return own.samples;
    case Metric::Latency:
      return own.latency;
    case Metric::Weight1:
    case Metric::Weight2:
    case Metric::Weight3: {
      const u64 sum = weights_[at][static_cast<std::size_t>(metric) - static_cast<std::size_t>(Metric::Weight1)];
      return own.samples == 0 ? 0 : (sum * 10 + own.samples / 2) / own.samples;
    }
    case Metric::OverheadSys:
      return modes.sys;
    case Metric::OverheadUser:
      return modes.user;
    case Metric::OverheadGuestSys:
      return modes.guest_sys;
    case Metric::OverheadGuestUser:
      return modes.guest_user;
    case Metric::FirstAccessPart:
      break;
  }
  return 0;
}

}  // namespace peregrine
