#include "analysis/diff/compared_values.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "analysis/diff/change.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

ComparedValues::ComparedValues(const Comparison& comparison) : comparison_(comparison) {
  for (std::size_t side = 0; side < comparison.sides(); ++side) {
    const RowTable* const table = comparison.side(side);
    keys_.push_back(table == nullptr ? nullptr : std::make_unique<RowValues>(*table, std::vector<std::string>()));
    if (keys_.back() && names_.empty()) names_ = keys_.back()->names();
  }
  for (const std::string_view name : {"baseline", "baseline_period", "baseline_samples"}) names_.emplace_back(name);
  for (std::size_t side = 1; side < comparison.sides(); ++side) {
    const std::string end = comparison.sides() > 2 ? fmt::format(".{}", side) : std::string();
    for (const std::string_view name : {"share", "period", "samples", "change", "change_low", "change_high", "real"})
      names_.push_back(fmt::format("{}{}", name, end));
  }
}

void ComparedValues::add_weight(const ComparedRow& row, std::size_t side) {
  if (!row.present[side]) {
    values_.resize(values_.size() + 3);
    return;
  }
  const RowWeight weight = row.weights[side];
  const u64 whole = comparison_.whole(side).period;
  values_.emplace_back(whole == 0 ? 0.0 : 100.0 * static_cast<double>(weight.period) / static_cast<double>(whole));
  values_.emplace_back(weight.period);
  values_.emplace_back(weight.samples);
}

void ComparedValues::add_change(const RowChange& change) {
  if (!change.present) {
    values_.resize(values_.size() + 4);
    return;
  }
  values_.emplace_back(change.value);
  values_.push_back(change.interval ? RowValue(change.interval->low) : RowValue());
  values_.push_back(change.interval ? RowValue(change.interval->high) : RowValue());
  values_.emplace_back(u64{change.real ? 1u : 0u});
}

const std::vector<RowValue>& ComparedValues::of(const ComparedRow& row) {
  values_ = keys_[row.shown_side]->of(comparison_.row_of(row));
  for (std::size_t side = 0; side < comparison_.sides(); ++side) {
    add_weight(row, side);
    if (side > 0) add_change(row.changes[side]);
  }
  return values_;
}

}  // namespace peregrine
