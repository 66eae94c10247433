// The summary of `sched timehist -s`: each task, each CPU's idle task, and totals.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/sched/time_history.h"
#include "base/percent.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/thread_table.h"
#include "output/sink.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"
#include "output/text/sched/time_history_text.h"

namespace peregrine {

namespace {

constexpr std::size_t kSumsName = 30;

struct Titles {
  std::string_view title, columns, units;
};
constexpr Titles kRunTitles{"Runtime summary",
                            "   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations",
                            " (count)       (msec)     (msec)      (msec)      (msec)       %"};
constexpr Titles kWaits{"Wait-time summary", "   sched-in     run-time      sleep      iowait     preempt       delay",
                        " (count)       (msec)     (msec)      (msec)      (msec)       (msec)"};
constexpr Titles kIdles{"Idle-time summary",
                        "  sched-out    idle-time   min-idle    avg-idle    max-idle  stddev  migrations",
                        " (count)       (msec)     (msec)      (msec)      (msec)       %"};

std::string span_text(u64 ns, unsigned width = 0) {
  return fmt::format("{:{}}.{:03}", ns / 1'000'000, width, ns % 1'000'000 / 1000);
}
std::string time_text(u64 ns, unsigned width) { return span_text(ns, width) + ' '; }

void print_task(const TimeHistory::TaskRow& row, const std::string& name, std::optional<u32> parent, bool waits,
                Sink& out) {
  const TaskTimes& times = *row.times;
  append_aligned(out, name, kSumsName, Align::Right);
  out.format("   {:5}  {:9} ", parent ? static_cast<i64>(*parent) : -1, times.runs.count());
  out.append(time_text(times.run, 8));
  if (waits) {
    out.append(time_text(times.sleep, 6)).append(' ').append(time_text(times.io_wait, 6)).append(' ');
    out.append(time_text(times.preempted, 6)).append(' ').append(time_text(times.delay, 6)).append('\n');
    return;
  }
  out.append(time_text(times.least, 6))
      .append(' ')
      .append(time_text(static_cast<u64>(times.runs.mean()), 6))
      .append(' ');
  out.append(time_text(times.most, 6));
  out.format("  {:5.2f}   {:5}\n", times.runs.error_percent(), times.migrations);
}

void print_causes(const TimeHistory& history, const TimeHistorySums& sums, Sink& out) {
  const TextTable table({{.title = "Idle time (msec)", .width = 16},
                         {.title = "Count", .width = 8},
                         {.title = "Callchains", .width = 50, .align = Align::Left, .ragged = true}});
  out.append("\nIdle stats by callchain:\n");
  for (u32 cpu = 0; cpu < sums.cpus; ++cpu) {
    if (!history.has_cpu(cpu)) continue;
    const TaskTimes* const idle = history.idle(cpu);
    out.format("  CPU {:2}:", cpu);
    out.append(time_text(idle == nullptr ? 0 : idle->run, 6)).append(" msec\n");
    table.titles(out);
    table.ruler(out, '-');
    for (const IdleCause& cause : history.idle_causes(cpu)) {
      if (cause.chain.empty()) continue;
      std::string chain;
      for (std::size_t i = 0; i < cause.chain.size(); ++i) chain += (i == 0 ? "" : " <- ") + printable(cause.chain[i]);
      table.row(out, {span_text(cause.time), fmt::format("{}", cause.count), chain});
    }
    out.append('\n');
  }
}

void print_idle(const TimeHistory& history, const TimeHistorySums& sums, Sink& out) {
  out.append("\nIdle stats:\n");
  for (u32 cpu = 0; cpu < sums.cpus; ++cpu) {
    if (!sums.chosen_cpus.empty() && std::ranges::find(sums.chosen_cpus, cpu) == sums.chosen_cpus.end()) continue;
    out.format("    CPU {:2} ", cpu);
    const TaskTimes* const idle = history.idle(cpu);
    if (idle == nullptr) {
      out.append(history.has_cpu(cpu) ? "was never idle\n" : "idle entire time window\n");
      continue;
    }
    const double share = percent_of(idle->run, history.span());
    out.append("idle for ").append(time_text(idle->run, 6)).format(" msec  ({:6.2f}%)\n", share);
  }
}

}  // namespace

void print_time_sums(const TimeHistory& history, const Machine& machine, const TimeHistorySums& sums, Sink& out) {
  const Titles& titles = sums.idle_only ? kIdles : sums.waits ? kWaits : kRunTitles;
  out.append('\n').append(titles.title).append('\n');
  out.right("comm", kSumsName).append("  parent").append(titles.columns).append('\n');
  out.right("", kSumsName).append("           ").append(titles.units).append('\n');
  append_ruler(out, '-', 117);
  std::unordered_map<u32, std::optional<u32>> parents;
  for (const Task& task : machine.threads().tasks()) parents[task.state.tid] = task.parent;
  const std::vector<TimeHistory::TaskRow> rows = history.tasks();
  u64 run = 0;
  const auto print_those = [&](bool ended, std::string_view none) {
    bool any = false;
    for (const TimeHistory::TaskRow& row : rows) {
      if (history.has_ended(row.tid) != ended) continue;
      ThreadState thread = machine.threads().newest(~0u, row.tid);
      if (thread.pid == ~0u) thread.pid = row.tid;  // an unknown task that ran
      const auto parent = parents.find(row.tid);
      print_task(row, task_text(machine, thread, row.tid), parent == parents.end() ? std::nullopt : parent->second,
                 sums.waits && !sums.idle_only, out);
      run += row.times->run;
      any = true;
    }
    if (!any) out.append(none);
  };
  print_those(false, "<no still running tasks>\n");
  out.append("\nTerminated tasks:\n");
  print_those(true, "<no terminated tasks>\n");
  print_idle(history, sums, out);
  if (sums.idle_only && sums.chains) print_causes(history, sums, out);
  out.format("\n    Total number of unique tasks: {}\n", rows.size());
  out.format("Total number of context switches: {}\n", history.switches());
  out.format("           Total run time (msec): {}\n", time_text(run, 2));
  out.format("    Total scheduling time (msec): {} (x {})\n", time_text(history.span(), 2), sums.cpus);
}

}  // namespace peregrine
