#include "output/text/script/field_text.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "analysis/stat/value_distribution.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/stat/value_text.h"

namespace peregrine {

namespace {

double average(const TallyRow& row) {
  return row.count == 0 ? 0 : static_cast<double>(row.sum) / static_cast<double>(row.count);
}

// Milliseconds with three decimals, because readers want microseconds.
std::string milliseconds_text(u64 ns) { return fmt::format("{}.{:03}", ns / 1'000'000, ns / 1000 % 1000); }

}  // namespace

void print_tally(std::span<const TallyRow> rows, const TallyTitles& titles, Sink& out) {
  const bool sums = !titles.value.empty();
  out.append(fmt::format("{:>12}", "count"));
  if (sums) out.append(fmt::format("  {:>20}  {:>14}", "sum " + titles.value, "average"));
  if (!titles.key.empty()) out.append("  " + titles.key);
  out.append('\n');
  for (const TallyRow& row : rows) {
    out.append(fmt::format("{:>12}", row.count));
    if (sums) out.append(fmt::format("  {:>20}  {:>14.1f}", row.sum, average(row)));
    if (!titles.key.empty()) out.append("  " + printable(row.key));
    out.append('\n');
  }
}

void print_pairs(const EventPairs& pairs, const PairTitles& titles, Sink& out) {
  out.append(
      fmt::format("{} to {} by {}, times in ms\n\n", printable(titles.start), printable(titles.end), titles.keys));
  const auto print_line = [&](const std::array<std::string, 8>& cells, const std::string& group) {
    for (std::size_t i = 0; i < cells.size(); ++i) out.append(fmt::format("{}{:>10}", i == 0 ? "" : "  ", cells[i]));
    out.append(group.empty() ? "\n" : "  " + printable(group) + "\n");
  };
  print_line({"pairs", "total", "min", "average", "50%", "95%", "99%", "max"}, titles.group);
  for (const PairRow& row : pairs.rows()) {
    print_line({fmt::to_string(row.pairs), milliseconds_text(row.total), milliseconds_text(row.least),
                milliseconds_text(row.total / row.pairs), milliseconds_text(row.half), milliseconds_text(row.most_95),
                milliseconds_text(row.most_99), milliseconds_text(row.most)},
               row.group);
  }
  out.append('\n');
  ValueDistribution times("ns", false, {});
  times.add(pairs.counted());
  if (times.values() > 0) print_value_text(times, out);
  out.append(fmt::format(" not paired: {} without an end, {} replaced by a later one, {} without a start\n",
                         counted(pairs.unended(), "start"), counted(pairs.replaced(), "start"),
                         counted(pairs.unstarted(), "end")));
}

}  // namespace peregrine
