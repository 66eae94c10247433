#include "output/text/report/metric_cell.h"

#include <algorithm>

#include "analysis/hist/key/access_parts.h"

namespace peregrine {

unsigned metric_width(Metric metric) {
  if (is_access_part(metric)) return 7;
  switch (metric) {
    case Metric::Samples:
    case Metric::Period:
      return 12;
    case Metric::OverheadGuestSys:
    case Metric::OverheadGuestUser:
      return 9;
    default:
      return 8;
  }
}

std::string_view column_title(const RowTable& table, const Column& column) {
  if (!column.is_metric) return header_of(table.request().columns, column.key);
  const std::vector<Column>& shown = table.request().columns.shown;
  const bool beside_children = std::ranges::find(shown, column_of(Metric::OverheadChildren)) != shown.end();
  if (column.metric == Metric::Overhead && table.request().children && beside_children) return "Self";
  return spec_of(column.metric).header;
}

std::string sum_text(Metric metric, u64 value) {
  return spec_of(metric).mean ? fmt::format("{}.{}", value / 10, value % 10) : fmt::format("{}", value);
}

std::string metric_text(const RowTable& table, Metric metric, std::span<const u64> values, unsigned width, bool plain) {
  const bool percent = spec_of(metric).percent;
  const unsigned each = width / std::max(1u, static_cast<unsigned>(values.size()));
  const auto room = [&](unsigned taken) { return each > taken ? each - taken : 0; };
  std::string text;
  for (std::size_t member = 0; member < values.size(); ++member) {
    const u64 value = values[member];
    if (metric == Metric::OverheadChildren && !table.request().children) {
      text += plain ? fmt::format("{:>{}}", "N/A", width) : " N/A";
    } else if (percent) {
      const u64 total = table.total(metric, member);
      const double share = total == 0 ? 0.0 : 100.0 * static_cast<double>(value) / static_cast<double>(total);
      const int digits = is_access_part(metric) && plain ? 1 : 2;
      text += fmt::format(" {:>{}.{}f}%", share, plain ? room(2) : 0, digits);
    } else {
      text += fmt::format(" {:>{}}", sum_text(metric, value), plain ? room(1) : 0);
    }
  }
  return text;
}

}  // namespace peregrine
