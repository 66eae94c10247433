#include "output/tui/report/page_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/row/row_table.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/report/metric_cell.h"
#include "output/text/report/row_cells.h"

namespace peregrine::tui {

void print_page(Sink& out, const BrowsePage& page) {
  const RowTable& table = *page.table;
  const RowCells cells(table, "", false);
  const auto& columns = table.request().columns.shown;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = 0;
    if (!column.is_metric)
      for (const u32 at : page.rows) width = std::max(width, cells.width(table.rows()[at], column.key));
    widths.push_back(width);
  }
  out.format("# {}, 100% is {}\n", counted(page.samples, "sample"), page.total);
  for (const u32 at : page.rows) {
    const Row& row = table.rows()[at];
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].is_metric) {
        std::string text = cells.text(row, columns[i].key, static_cast<unsigned>(widths[i]));
        if (text.size() < widths[i]) text.append(widths[i] - text.size(), ' ');
        line += "  " + text;
        continue;
      }
      for (std::size_t member = 0; member < table.members(); ++member) {
        const u64 value = table.value(row, columns[i].metric, member);
        const u64 total = member == 0 ? page.total : table.total_period(member);
        if (spec_of(columns[i].metric).percent)
          line += fmt::format("  {:>6.2f}%",
                              total == 0 ? 0.0 : 100 * static_cast<double>(value) / static_cast<double>(total));
        else
          line += fmt::format("  {:>12}", sum_text(columns[i].metric, value));
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out.append(line).append('\n');
  }
}

}  // namespace peregrine::tui
