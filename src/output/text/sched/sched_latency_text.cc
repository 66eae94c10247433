#include "output/text/sched/sched_latency_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sched/delay_histogram.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

// Lengths of linux-perf's rulers: around the titles, below the rows, below the total.
constexpr std::size_t kTable = 139, kSums = 113, kSum = 51;

TextTable latency_table() {
  const auto delay = [](std::string title, std::size_t width) {
    return TextColumn{.title = std::move(title), .width = width, .before = " | ", .title_align = Align::Left};
  };
  return TextTable({{.title = "  Task", .width = 24, .align = Align::Left, .before = ""},
                    {.title = "Runtime ms ", .width = 14, .before = "|"},
                    {.title = "Switches", .width = 9, .before = " |"},
                    delay("Avg delay ms", 15),
                    delay("Max delay ms", 15),
                    delay("Max delay start", 25),
                    delay("Max delay end          |", 23)});
}

void print_row(const TextTable& table, const SchedLatencyRow& row, Sink& out) {
  const std::string comm = printable(row.comm);
  const std::string name =
      row.tasks > 1 ? fmt::format("  {}:({})", comm, row.tasks) : fmt::format("  {}:{}", comm, row.tid);
  table.row(out, {name, fmt::format("{:.3f} ms", milliseconds(row.runtime)), fmt::format("{}", row.switches),
                  fmt::format("avg:{:8.3f} ms", milliseconds(row.average())),
                  fmt::format("max:{:8.3f} ms", milliseconds(row.most)),
                  fmt::format("max start: {:>12} s", seconds_text(row.most_from)),
                  fmt::format("max end: {:>12} s", seconds_text(row.most_until))});
}

}  // namespace

void print_sched_latency(const SchedLatency& latency, const std::vector<SchedLatencyRow>& rows, Sink& out) {
  const TextTable table = latency_table();
  append_ruler(out.append('\n'), '-', kTable, " ");
  table.titles(out);
  append_ruler(out, '-', kTable, " ");
  u64 runtime = 0, switches = 0;
  for (const SchedLatencyRow& row : rows) {
    print_row(table, row, out);
    runtime += row.runtime;
    switches += row.switches;
  }
  append_ruler(out, '-', kSums, " ");
  table.cells(out, {"  TOTAL:", fmt::format("{:.3f} ms", milliseconds(runtime)), fmt::format("{}", switches)});
  append_ruler(out.append(" |\n"), '-', kSum, " ");
  if (latency.gaps() != 0 && latency.wakeups() != 0)
    out.format("  INFO: {:.3f}% context switch bugs ({} out of {}){}\n", percent_of(latency.gaps(), latency.wakeups()),
               latency.gaps(), latency.wakeups(), latency.lost() ? " (due to lost events?)" : "");
  out.append('\n');
}

void print_delay_histogram(const DelayHistogram& histogram, Sink& out) {
  constexpr double kBar = 40;
  out.format("  Delays: {}\n", grouped_number(std::to_string(histogram.total()), ","));
  const std::vector<DelayRange> ranges = histogram.ranges();
  u64 most = 1;
  for (const DelayRange& range : ranges) most = std::max(most, range.count);
  if (!ranges.empty()) out.append("  from (ms)     to (ms)       count        %\n");
  for (const DelayRange& range : ranges) {
    out.format("  {:>9.3f} - {:>9.3f} | {:>9} | {:>6.2f}% | ", milliseconds(range.from), milliseconds(range.to),
               range.count, percent_of(range.count, histogram.total()));
    out.fill('#', static_cast<std::size_t>(kBar * static_cast<double>(range.count) / static_cast<double>(most)));
    out.append('\n');
  }
  out.append('\n');
}

}  // namespace peregrine
