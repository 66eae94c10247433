// StatPlace: what a row's counts are summed over: everything, a CPU, core, die, cluster, cache, socket, NUMA node, or
// thread.
//
// cpu_places() groups CPUs by the arrangement of this machine (cpu_arrangement) or of a recording's header
// (recorded_arrangement). Places are sorted by number, socket first. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

enum class StatAggregation { Global, Cpu, Core, Cluster, Die, Cache, Socket, Node, Thread };

// Whether rows are grouped by place rather than event and show the number of CPUs summed.
bool sums_cpus(StatAggregation aggregation);
// Whether rows represent CPUs or sets of them: all modes except Global and Thread.
bool is_by_cpu(StatAggregation aggregation);

// linux-perf's mode numbers in recordings: version 6.1's, which we write; or those of the version in the recording
// ("6.12.3"), since 6.5 and 6.9 inserted modes. Unknown ones become Global.
u64 recorded_mode(StatAggregation aggregation);
StatAggregation aggregation_of(u64 mode, std::string_view version);

struct StatPlace {
  std::string label;      // "S0-D0-C1", "CPU3", "bash-4711"; empty for Global
  std::string name;       // name in JSON: "3" for a CPU, else the label
  std::vector<int> cpus;  // the CPUs it represents
  Pid thread = -1;
  std::string comm;  // Thread only
};

struct CpuArrangement {
  CpuTopology topology;
  std::vector<CpuList> nodes;  // by NUMA node
  std::vector<CpuCache> caches;
};
CpuArrangement cpu_arrangement(const Root& root);
CpuArrangement recorded_arrangement(const data::Features& features);

// CPUs of unknown location count as number 0. `cache_level`: for Cache; 0 means the last level.
std::vector<StatPlace> cpu_places(StatAggregation aggregation, const CpuList& cpus, const CpuArrangement& arrangement,
                                  u32 cache_level = 0);

}  // namespace peregrine
