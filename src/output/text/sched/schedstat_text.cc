#include "output/text/sched/schedstat_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kCounterName = 28, kCounterCount = 16, kCounterNumber = 10;

std::string cpu_title(const SchedstatCpu* cpu, std::size_t cpus) {
  return cpu == nullptr ? fmt::format("All CPUs ({})", cpus) : fmt::format("CPU {}", cpu->cpu);
}

std::string domain_title(const SchedstatDomain& domain) {
  std::string title = fmt::format("Domain {}", domain.number);
  if (!domain.name.empty()) title += " " + printable(domain.name);
  if (!domain.cpus.empty()) title += ", CPUs " + printable(domain.cpus);
  return title;
}

// The derived number of a row: a share of another counter, or an average.
std::string ratio_text(const SchedstatRow& row) {
  if (row.has_share) return fmt::format("{:.2f}%", row.share);
  return row.has_average ? fmt::format("{:.2f}", row.average) : std::string();
}

void print_titles(std::string_view name, std::string_view ratio, Sink& out) {
  out.append("  ")
      .left(name, kCounterName)
      .right("count", kCounterCount)
      .right(ratio, kCounterNumber)
      .append("  meaning\n");
}

void print_row(const SchedstatRow& row, Sink& out) {
  const std::string ratio = ratio_text(row);
  out.append("  ").left(row.name, kCounterName).format("{:>{}}", row.count, kCounterCount);
  if (!ratio.empty() || !row.meaning.empty()) out.right(ratio, kCounterNumber);
  if (!row.meaning.empty()) out.append("  ").append(row.meaning);
  out.append('\n');
}

void print_cpu(const SchedstatCpu& cpu, const std::string& title, const SchedstatChange& change, Sink& out) {
  out.append('\n').append(title).append('\n');
  print_titles("counter", "share", out);
  for (const SchedstatRow& row : schedstat_rows(cpu)) print_row(row, out);
  for (const SchedstatDomain& domain : cpu.domains) {
    out.append('\n').append(title).append(", ").append(domain_title(domain)).append('\n');
    print_titles("counter", "average", out);
    for (const SchedstatGroup& group : schedstat_groups(domain, change.version, change.jiffies)) {
      out.append(" ").append(group.name).append(":\n");
      for (const SchedstatRow& row : group.rows) print_row(row, out);
    }
  }
}

// The change as a percentage of the old value.
std::string change_text(u64 before, u64 after) {
  if (before == after) return "0.00%";
  if (before == 0) return "new";
  const double change = (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(before);
  return fmt::format("{:+.2f}%", 100 * change);
}

void print_both(const std::vector<SchedstatRow>& before, const std::vector<SchedstatRow>& after, Sink& out) {
  for (const SchedstatRow& row : after) {
    // Kernel versions have different counters, so match them by name.
    const auto old = std::ranges::find(before, row.name, &SchedstatRow::name);
    out.append("  ").left(row.name, kCounterName);
    if (old == before.end()) {
      out.right("-", kCounterCount).format("{:>{}}\n", row.count, kCounterCount);
      continue;
    }
    out.format("{:>{}}{:>{}}", old->count, kCounterCount, row.count, kCounterCount);
    out.right(change_text(old->count, row.count), kCounterNumber);
    const std::string old_ratio = ratio_text(*old), ratio = ratio_text(row);
    if (!old_ratio.empty() || !ratio.empty())
      out.append("  ")
          .right(old_ratio.empty() ? "-" : old_ratio, kCounterNumber)
          .right(ratio.empty() ? "-" : ratio, kCounterNumber);
    out.append('\n');
  }
}

void print_difference_titles(std::string_view ratio, Sink& out) {
  out.append("  ")
      .left("counter", kCounterName)
      .right("count A", kCounterCount)
      .right("count B", kCounterCount)
      .right("change", kCounterNumber);
  out.append("  ")
      .right(fmt::format("{} A", ratio), kCounterNumber)
      .right(fmt::format("{} B", ratio), kCounterNumber)
      .append('\n');
}

void print_cpu_difference(const SchedstatCpu& before, const SchedstatCpu& after, const std::string& title,
                          const SchedstatChange& first, const SchedstatChange& second, Sink& out) {
  out.append('\n').append(title).append('\n');
  print_difference_titles("share", out);
  print_both(schedstat_rows(before), schedstat_rows(after), out);
  for (const SchedstatDomain& domain : after.domains) {
    const auto old = std::ranges::find(before.domains, domain.number, &SchedstatDomain::number);
    if (old == before.domains.end()) continue;
    out.append('\n').append(title).append(", ").append(domain_title(domain)).append('\n');
    print_difference_titles("avg", out);
    const auto old_groups = schedstat_groups(*old, first.version, first.jiffies);
    for (const SchedstatGroup& group : schedstat_groups(domain, second.version, second.jiffies)) {
      out.append(" ").append(group.name).append(":\n");
      const auto same = std::ranges::find(old_groups, group.name, &SchedstatGroup::name);
      print_both(same == old_groups.end() ? std::vector<SchedstatRow>() : same->rows, group.rows, out);
    }
  }
}

constexpr std::string_view kAverages =
    "average: jiffies between two events on one CPU or all; for lb_success, tasks moved per attempt\n";

}  // namespace

void print_schedstats(const SchedstatChange& change, Sink& out) {
  out.format("Time elapsed: {} jiffies\n", change.jiffies).append(kAverages);
  if (change.cpus.size() > 1) print_cpu(change.total(), cpu_title(nullptr, change.cpus.size()), change, out);
  for (const SchedstatCpu& cpu : change.cpus) print_cpu(cpu, cpu_title(&cpu, 1), change, out);
}

void print_schedstat_difference(const SchedstatChange& before, const SchedstatChange& after, Sink& out) {
  out.format("Time elapsed: A {} jiffies, B {} jiffies\n", before.jiffies, after.jiffies).append(kAverages);
  if (before.cpus.size() > 1 || after.cpus.size() > 1)
    print_cpu_difference(before.total(), after.total(), cpu_title(nullptr, after.cpus.size()), before, after, out);
  for (const SchedstatCpu& cpu : after.cpus) {
    const auto old = std::ranges::find(before.cpus, cpu.cpu, &SchedstatCpu::cpu);
    if (old != before.cpus.end()) print_cpu_difference(*old, cpu, cpu_title(&cpu, 1), before, after, out);
  }
}

}  // namespace peregrine
