#include "output/text/report/report_page.h"

#include <algorithm>
#include <cstddef>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/report/report_table.h"

namespace peregrine {

void print_header_hint(Sink& out) {
  out.append("# To display the perf.data header info, please use --header/--header-only options.\n#\n");
}

void print_filters(Sink& out, std::span<const std::pair<std::string, std::string>> filters) {
  for (const auto& [key, value] : filters) out.format("# {}: {}\n", key, printable(value));
}

void print_preamble(Sink& out, u64 lost_samples) { out.format("#\n# Total Lost Samples: {}\n#\n", lost_samples); }

void print_event_heading(Sink& out, const EventHeading& heading) {
  out.format("# Samples: {} of event{} '{}'{}\n", short_count(heading.samples), heading.group ? "s" : "",
             printable(heading.name), heading.remark);
  if (heading.weighted_by)
    out.format("# Total weight : {}\n# Sort order   : {}\n", heading.period, printable(*heading.weighted_by));
  else
    out.format("# Event count (approx.): {}\n", heading.period);
  if (heading.socket) out.format("# Processor Socket: {}\n", *heading.socket);
  out.append("#\n");
}

void print_tip(Sink& out, std::string_view tip) {
  out.append("#\n");
  if (!tip.empty()) out.format("# (Tip: {})\n", tip);
  out.append("#\n");
}

void print_stats(Sink& out, std::span<const u64> by_type, std::span<const EventCounts> events, bool has_traces) {
  u64 total = 0;
  for (const u64 count : by_type) total += count;
  constexpr std::string_view kTraces = " (excludes AUX area (e.g. instruction trace) decoded / synthesized events)";
  out.format("\nAggregated stats:{}\n", has_traces ? kTraces : std::string_view());
  out.format("{:>16} events: {:10}\n", "TOTAL", total);
  for (std::size_t type = 0; type < by_type.size(); ++type) {
    if (by_type[type] == 0) continue;
    const std::string_view name = abi::record_type_name(static_cast<abi::RecordType>(type));
    out.format("{:>16} events: {:10}  ({:4.1f}%)\n", name, by_type[type],
               100.0 * static_cast<double>(by_type[type]) / static_cast<double>(total));
  }
  for (const EventCounts& event : events) {
    out.format("{} stats:\n", printable(event.name));
    if (event.samples != 0) out.format("{:>16} events: {:10}\n", "SAMPLE", event.samples);
    if (event.lost_samples != 0) out.format("{:>16} events: {:10}\n", "LOST_SAMPLES", event.lost_samples);
  }
}

void print_thread_counts(Sink& out, std::span<const std::string> events, std::span<const ThreadCounts> threads) {
  std::size_t pid_width = 3, tid_width = 3;
  for (const ThreadCounts& thread : threads) {
    pid_width = std::max(pid_width, std::to_string(thread.pid).size());
    tid_width = std::max(tid_width, std::to_string(thread.tid).size());
  }
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::size_t width = display_width(printable(events[i]));
    for (const ThreadCounts& thread : threads) width = std::max(width, std::to_string(thread.values[i]).size());
    widths.push_back(width);
  }
  out.format("# {:>{}}  {:>{}}", "PID", pid_width, "TID", tid_width);
  for (std::size_t i = 0; i < events.size(); ++i) out.append("  ").right(printable(events[i]), widths[i]);
  out.append('\n');
  for (const ThreadCounts& thread : threads) {
    out.format("  {:>{}}  {:>{}}", thread.pid, pid_width, thread.tid, tid_width);
    for (std::size_t i = 0; i < events.size(); ++i)
      out.append("  ").decimal(thread.values[i], static_cast<unsigned>(widths[i]));
    out.append('\n');
  }
}

}  // namespace peregrine
