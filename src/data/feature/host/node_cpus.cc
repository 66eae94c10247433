#include "data/feature/host/node_cpus.h"

#include <cstddef>
#include <utility>

#include "base/types.h"

namespace peregrine::data {

std::vector<CpuList> cpus_of_nodes(const std::vector<NumaNode>& nodes) {
  std::vector<CpuList> lists(nodes.size());
  std::size_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto cpus = parse_cpu_list(nodes[i].cpus);
    if (!cpus) continue;
    total += cpus->size();
    if (total > kHighestCpu + 1) break;
    lists[i] = std::move(*cpus);
  }
  return lists;
}

std::vector<i32> nodes_of_cpus(const std::vector<NumaNode>& nodes, i32 unknown) {
  std::vector<i32> node_of;
  const std::vector<CpuList> lists = cpus_of_nodes(nodes);
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const int cpu : lists[i]) {
      const auto at = static_cast<std::size_t>(cpu);
      if (at >= node_of.size()) node_of.resize(at + 1, unknown);
      node_of[at] = static_cast<i32>(nodes[i].id);
    }
  return node_of;
}

}  // namespace peregrine::data
