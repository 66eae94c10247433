// The tables of `kwork` from BPF measurements, with the same names as from a recording.
#pragma once
#include <span>
#include <string_view>

#include "analysis/work/cpu_usage.h"
#include "analysis/work/kernel_work.h"
#include "capture/scheduling/cpu_usage_watcher.h"
#include "capture/scheduling/work_watcher.h"
#include "machine/machine.h"

namespace peregrine {

// `name`: only work with this name; empty: all. `machine`: the running kernel, for symbols.
WorkSummary work_summary(std::span<const WatchedWork> work, std::span<const WatchedWork> raises, std::string_view name,
                         Machine& machine);

// `name`: only tasks with this name, as rows; empty: all.
CpuUsageTable usage_table(std::span<const WatchedCpu> cpus, std::span<const WatchedUsage> tasks, std::string_view name);

}  // namespace peregrine
