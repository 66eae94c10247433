// StatPlace: what the counts of one row are summed over: everything, a CPU, a core, die, cluster, cache, socket or NUMA
// node, or a thread.
//
// cpu_places() groups CPUs by an arrangement that comes from this machine (cpu_arrangement) or from a recording's
// header (recorded_arrangement). Places are in ascending order of their numbers, socket first. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/feature/features.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"

namespace peregrine {

enum class StatAggregation { Global, Cpu, Core, Cluster, Die, Cache, Socket, Node, Thread };

// Rows are grouped by place, not by event, and show how many CPUs each place sums.
bool sums_cpus(StatAggregation aggregation);
// Rows stand for CPUs or sets of them: everything but Global and Thread.
bool is_by_cpu(StatAggregation aggregation);

// linux-perf's numbers of the modes in recordings: of version 6.1, as we write them; of the version that a recording
// names ("6.12.3"), since 6.5 and 6.9 put others in between. Unknown ones are Global.
u64 recorded_mode(StatAggregation aggregation);
StatAggregation aggregation_of(u64 mode, std::string_view version);

struct StatPlace {
  std::string label;      // "S0-D0-C1", "CPU3", "bash-4711"; empty for Global
  std::string name;       // the same for JSON: "3" for a CPU, else the label
  std::vector<int> cpus;  // the CPUs it stands for
  Pid thread = -1;
  std::string comm;  // Thread only
};

struct CpuArrangement {
  CpuTopology topology;
  std::vector<CpuList> nodes;  // by NUMA node number
  std::vector<CpuCache> caches;
};
CpuArrangement cpu_arrangement(const Root& root);
CpuArrangement recorded_arrangement(const data::Features& features);

// CPUs whose place is unknown count as number 0. `cache_level`: for Cache; 0 means the last level there is.
std::vector<StatPlace> cpu_places(StatAggregation aggregation, const CpuList& cpus, const CpuArrangement& arrangement,
                                  u32 cache_level = 0);

}  // namespace peregrine
