#include "data/feature/host/node_cpus.h"

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

}  // namespace peregrine::data
