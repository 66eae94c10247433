#include "output/text/stat/versus_table.h"

#include <fmt/format.h>

#include <string_view>

#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

std::string mean_text(double mean, const VersusRow& row, const std::string& thousands) {
  const int decimals = row.whole && mean >= 100 ? 0 : row.whole ? 1 : mean < 1 ? 6 : mean < 100 ? 3 : 2;
  return grouped_number(fmt::format("{:.{}f}", mean, decimals), thousands);
}

void print_row(const VersusRow& row, const std::string& thousands, Sink& out) {
  out.format(" {:>18} {:>18} ", mean_text(row.mean_a, row, thousands), mean_text(row.mean_b, row, thousands));
  std::string interval;
  if (row.ratio && row.low)
    interval = fmt::format("[{:.3f}, {:.3f}]", *row.low, *row.high);
  else if (row.low)
    interval = fmt::format("by {:+.4g} to {:+.4g}", *row.low, *row.high);
  out.format("{:>8}  {:<22}", row.ratio ? fmt::format("{:.3f}", *row.ratio) : std::string("-"), interval);
  out.format(" {:<8} {}{}{}\n", versus_verdict(row), row.unit, row.unit.empty() ? "" : " ", row.name);
}

}  // namespace

std::string_view versus_verdict(const VersusRow& row) {
  if (row.is_real) return row.mean_b > row.mean_a ? "more" : "less";
  return row.low && *row.low == *row.high ? "same" : "unclear";
}

void print_versus(const VersusTitle& title, std::span<const VersusRow> rows, std::span<const std::string> left_out,
                  Sink& out) {
  out.format("\n A: {}\n B: {}\n {} alternating runs of each, after one warm-up run of each (not counted):\n\n",
             printable(title.a), printable(title.b), title.pairs);
  out.format(" {:>18} {:>18} {:>8}  {:<22} {}\n", "mean of A", "mean of B", "B/A", "95% interval", "B is");
  for (const VersusRow& row : rows) print_row(row, title.thousands, out);
  for (const std::string& name : left_out) out.format(" {} was not counted in every run\n", name);
  out.append(
      "\n B/A: geometric mean over pairs of runs; interval: Student's t over its logarithms.\n"
      " more, less: significant at 5% over all lines (Holm); unclear: may be chance; same: equal in every run.\n\n");
}

}  // namespace peregrine
