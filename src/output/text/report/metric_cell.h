// The look of metrics: titles, widths, and cells with the shares and sums of one event, or of a group's members side by
// side. For report's table and tree. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

// Minimum width of the column for one event.
unsigned metric_width(Metric metric);
// "Overhead", "Mem Op Load"
std::string metric_title(Metric metric);
// The title of a breakdown's part, below the title of the breakdown: "Load" below "Mem Op".
std::string_view part_title(Metric part);
std::string_view breakdown_title(const Breakdown& breakdown);
// The title of a table column: "Self" for overhead next to children.
std::string column_title(const RowTable& table, const Column& column);
// The text of a sum or mean.
std::string sum_text(Metric metric, u64 value);
struct MetricLook {
  bool plain = true;    // padded; otherwise for a separator
  bool colors = false;  // decimals of percentages
};
// `values`: by member; `width`: of the whole column.
std::string metric_text(const RowTable& table, Metric metric, std::span<const u64> values, unsigned width,
                        MetricLook look);
// A percentage in linux-perf's colour: red from 5 %, green from 0.5 %.
std::string colored_percentage(std::string text, double percent);

}  // namespace peregrine
