#include "output/text/kernel/cpu_usage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kUsageBar = 30, kUsageRuler = 60;

void print_bar(u32 cpu, const CpuTimes& times, Sink& out) {
  const double share = percent_of(times.busy(), times.total);
  const auto filled = std::min(kUsageBar, static_cast<std::size_t>(share / 100 * static_cast<double>(kUsageBar)));
  out.format("%Cpu{:<4}[", cpu).fill('|', filled).fill(' ', kUsageBar - filled).format("{:>8.2f}%]\n", share);
}

}  // namespace

void print_cpu_usage(const CpuUsageTable& usage, Sink& out) {
  const CpuTimes all = usage.all();
  out.format("\nTotal  : {:.3f} ms, {} cpus\n", milliseconds(all.total), usage.cpus.size());
  out.format("%Cpu(s): {:6.2f}% id, {:6.2f}% hi, {:6.2f}% si\n", percent_of(all.idle, all.total),
             percent_of(all.irq, all.total), percent_of(all.softirq, all.total));
  for (const auto& [cpu, times] : usage.cpus) print_bar(cpu, times, out);
  const TextTable printer({{.title = "PID", .width = 9, .before = ""},
                           {.title = "%CPU", .width = 6},
                           {.title = "RUNTIME", .width = 17, .before = " "},
                           {.title = "COMMAND", .align = Align::Left}});
  printer.titles(out.append('\n'));
  append_ruler(out, '-', kUsageRuler, "  ");
  const u64 one_cpu = all.total / std::max<u64>(usage.cpus.size(), 1);  // 100% for a task, as in top
  for (const TaskUsage& row : usage.tasks) {
    const auto own = usage.cpus.find(row.cpu);
    const double share = percent_of(row.runtime, row.tid == 0 && own != usage.cpus.end() ? own->second.total : one_cpu);
    const std::string comm = row.tid == 0 ? fmt::format("[swapper/{}]", row.cpu) : printable(row.comm);
    printer.row(out, {fmt::format("{}", row.tid), fmt::format("{:.2f}", share),
                      fmt::format("{:.3f} ms", milliseconds(row.runtime)), comm});
  }
  out.append('\n');
}

}  // namespace peregrine
