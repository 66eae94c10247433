#include "analysis/work/watched_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "abi/record.h"
#include "abi/softirq.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

namespace {

class WorkNames {
 public:
  explicit WorkNames(Machine& machine) : resolver_(machine) {}

  std::string name(const WatchedWork& work) {
    switch (static_cast<WorkKind>(work.kind)) {
      case WorkKind::Irq:
        return work.name;
      case WorkKind::Softirq:
        return work.id < std::size(abi::kSoftirqNames) ? std::string(abi::kSoftirqNames[work.id])
                                                       : std::to_string(work.id);
      case WorkKind::Workqueue:
        break;
    }
    const auto [at, fresh] = functions_.try_emplace(work.function);
    if (!fresh) return at->second;
    const auto& context = resolver_.context(0, 0, kForever);
    const Frame& frame = resolver_.at(resolver_.frame(context, work.function, abi::misc_bit::Kernel));
    at->second = frame.symbol ? std::string(resolver_.symbol_name(frame)) : fmt::format("{:#x}", work.function);
    return at->second;
  }

 private:
  Resolver resolver_;
  std::unordered_map<u64, std::string> functions_;  // by address
};

}  // namespace

WorkSummary work_summary(std::span<const WatchedWork> work, std::span<const WatchedWork> raises, std::string_view name,
                         Machine& machine) {
  WorkNames names(machine);
  WorkSummary summary;
  auto& [lost_raises, lost_entries, lost_exits] = summary.unpaired;
  u64 first = ~u64{0}, last = 0;
  for (const WatchedWork& each : work) {
    std::string own = names.name(each);
    if (!name.empty() && own != name) continue;
    summary.events += each.events;
    first = std::min(first, each.first);
    last = std::max(last, each.last);
    lost_entries += each.missed_entries;
    lost_exits += each.missed_exits;
    if (each.count == 0) continue;
    summary.rows.push_back({.kind = static_cast<WorkKind>(each.kind),
                            .cpu = each.cpu,
                            .id = each.id,
                            .name = std::move(own),
                            .count = each.count,
                            .total = each.total,
                            .most = each.most,
                            .most_from = each.most_from,
                            .most_until = each.most_until});
  }
  if (last > first) summary.span = last - first;
  lost_raises = static_cast<u64>(std::ranges::count_if(
      raises, [&](const WatchedWork& raise) { return name.empty() || names.name(raise) == name; }));
  return summary;
}

CpuUsageTable usage_table(std::span<const WatchedCpu> cpus, std::span<const WatchedUsage> tasks,
                          std::string_view name) {
  CpuUsageTable table;
  for (const WatchedCpu& each : cpus)
    table.cpus[each.cpu] = {.total = each.total, .idle = each.idle, .irq = each.irq, .softirq = each.softirq};
  for (const WatchedUsage& each : tasks)
    if (each.runtime != 0 && (name.empty() || each.comm == name))
      table.tasks.push_back({.tid = each.tid, .cpu = each.cpu, .comm = each.comm, .runtime = each.runtime});
  return table;
}

}  // namespace peregrine
