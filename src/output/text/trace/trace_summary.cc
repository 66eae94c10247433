#include "output/text/trace/trace_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"

namespace peregrine {
namespace {

// linux-perf's titles, which are not above their columns.
constexpr std::string_view kTitle =
    "   syscall            calls  errors  total       min       avg       max       stddev\n"
    "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
    "   --------------- --------  ------ -------- --------- --------- ---------     ------\n";

double milliseconds(double nanoseconds) { return nanoseconds / 1e6; }

void write_row(Sink& out, const CallSummary::Row& row, const TraceSummaryStyle& style) {
  const CallStats& stats = row.stats;
  const std::string_view name = style.call(row.set, row.number);
  out.format("   {:<15}", name.empty() ? fmt::format("syscall_{}", row.number) : std::string(name));
  out.format(" {:>8} {:>6} {:>9.3f} {:>9.3f} {:>9.3f}", stats.calls, stats.errors,
             milliseconds(static_cast<double>(stats.total)), milliseconds(static_cast<double>(stats.least)),
             milliseconds(stats.average()));
  out.format(" {:>9.3f} {:>9.2f}%\n", milliseconds(static_cast<double>(stats.most)), stats.relative_error());
  if (!style.errors) return;
  for (const auto& [number, calls] : stats.by_error) {
    const char* error = ::strerrorname_np(number);
    out.format("\t\t\t\t{}: {}\n", error != nullptr ? std::string(error) : std::to_string(number), calls);
  }
}

void write_heading(Sink& out, const CallSummary::Block& block, double share, const TraceSummaryStyle& style) {
  switch (style.by) {
    case SumBy::Total:
      return void(out.format(" total, {} events\n\n", block.events));
    case SumBy::Cgroup:
      return void(out.format(" cgroup {}, {} events\n\n", style.cgroup(block.cgroup), block.events));
    case SumBy::Thread:
      const std::string comm = style.comm(block.tid);
      out.format(" {} ({}), {} events, {:.1f}%", comm.empty() ? fmt::format(":{}", block.tid) : comm, block.tid,
                 block.events, share);
      if (block.major_faults != 0) out.format(", {} majfaults", block.major_faults);
      if (block.minor_faults != 0) out.format(", {} minfaults", block.minor_faults);
      if (style.runtime) out.format(", {:.3f} msec", milliseconds(static_cast<double>(block.runtime)));
      out.append("\n\n");
  }
}

}  // namespace

void write_trace_summary(Sink& out, const CallSummary& summary, const TraceSummaryStyle& style) {
  const auto blocks = summary.blocks();
  u64 events = 0;
  for (const auto& block : blocks) events += block.events;
  out.append("\n Summary of events:\n\n");
  for (const auto& block : blocks) {
    const double share = 100.0 * static_cast<double>(block.events) / static_cast<double>(std::max<u64>(events, 1));
    write_heading(out, block, share, style);
    out.append(kTitle);
    std::size_t left = style.most == 0 ? block.rows.size() : style.most;
    for (const auto& row : block.rows) {
      if (left-- == 0) break;
      write_row(out, row, style);
    }
    out.append("\n\n");
  }
}

}  // namespace peregrine
