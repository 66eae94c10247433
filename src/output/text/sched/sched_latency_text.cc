#include "output/text/sched/sched_latency_text.h"

#include <algorithm>

#include "base/percent.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {

namespace {

constexpr std::size_t kLatencyName = 24, kTable = 139, kSums = 113, kSum = 51;

void latency_ruler(std::size_t width, Sink& out) { out.append(' ').fill('-', width).append('\n'); }

void print_row(const SchedLatencyRow& row, Sink& out) {
  const std::string comm = printable(row.comm);
  const std::string name =
      row.tasks > 1 ? fmt::format("  {}:({})", comm, row.tasks) : fmt::format("  {}:{}", comm, row.tid);
  out.left(name, kLatencyName);
  out.format("|{:11.3f} ms |{:9} | avg:{:8.3f} ms | max:{:8.3f} ms | max start: {:>12} s | max end: {:>12} s\n",
             milliseconds(row.runtime), row.switches, milliseconds(row.average()), milliseconds(row.most),
             seconds_text(row.most_from), seconds_text(row.most_until));
}

}  // namespace

void print_sched_latency(const SchedLatency& latency, const std::vector<SchedLatencyRow>& rows, Sink& out) {
  out.append('\n');
  latency_ruler(kTable, out);
  out.append(
      "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | Max delay start        "
      " "
      "  | Max delay end          |\n");
  latency_ruler(kTable, out);
  u64 runtime = 0, switches = 0;
  for (const SchedLatencyRow& row : rows) {
    print_row(row, out);
    runtime += row.runtime;
    switches += row.switches;
  }
  latency_ruler(kSums, out);
  out.format("  TOTAL:                |{:11.3f} ms |{:9} |\n", milliseconds(runtime), switches);
  latency_ruler(kSum, out);
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
