// The cells of metric columns: shares and sums of one event, or of a group's members side by side. For report's table
// and tree. Pure.
#pragma once
#include <span>
#include <string>

#include "analysis/hist/row/row_table.h"

namespace peregrine {

// Minimum width of the column for one event.
unsigned metric_width(Metric metric);
// The column's header: "Self" for overhead next to children.
std::string_view column_title(const RowTable& table, const Column& column);
// A sum, or a mean.
std::string sum_text(Metric metric, u64 value);
// `values`: by member; `width`: of the whole column; without `plain`: adds a separator.
std::string metric_text(const RowTable& table, Metric metric, std::span<const u64> values, unsigned width, bool plain);

}  // namespace peregrine
