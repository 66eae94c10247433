#include "sys/hardware/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

constexpr std::string_view kNodes = "/sys/devices/system/node";
constexpr u64 kHighestBlock = 1u << 26;  // 8 PB in blocks of 128 MB; a larger number is not a block

// Returns the number in "KEY:   123 kB" of a meminfo text.
u64 meminfo_kb(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return 0;
  auto value = text.substr(at + key.size());
  value = trim(value.substr(0, value.find('\n')));
  return to_number(value.substr(0, value.find(' '))).value_or(0);
}

}  // namespace

u64 total_memory_kb(const Root& root) {
  const auto text = root.read("/proc/meminfo");
  return text ? meminfo_kb(*text, "MemTotal:") : 0;
}

u64 available_memory_kb(const Root& root) {
  const auto text = root.read("/proc/meminfo");
  return text ? meminfo_kb(*text, "MemAvailable:") : 0;
}

std::vector<NumaNode> numa_nodes(const Root& root) {
  std::vector<NumaNode> nodes;
  const auto online = root.line(fmt::format("{}/online", kNodes));
  if (!online) return nodes;
  for (const int id : parse_cpu_list(trim(*online)).value_or(CpuList{})) {
    const auto folder = fmt::format("{}/node{}", kNodes, id);
    NumaNode node;
    node.id = static_cast<u32>(id);
    if (const auto text = root.read(folder + "/meminfo")) {
      node.total_kb = meminfo_kb(*text, "MemTotal:");
      node.free_kb = meminfo_kb(*text, "MemFree:");
    }
    node.cpus = root.line(folder + "/cpulist").value_or("");
    nodes.push_back(std::move(node));
  }
  return nodes;
}

MemoryTopology memory_topology(const Root& root) {
  MemoryTopology topology;
  const auto block_size = root.line("/sys/devices/system/memory/block_size_bytes");
  if (!block_size) return topology;
  topology.block_size = to_number("0x" + std::string(trim(*block_size))).value_or(0);
  for (const auto& name : root.names(kNodes)) {
    if (!name.starts_with("node")) continue;
    const auto id = to_number(std::string_view(name).substr(4));
    if (!id) continue;
    MemoryNode node;
    node.id = *id;
    for (const auto& entry : root.names(fmt::format("{}/{}", kNodes, name))) {
      if (!entry.starts_with("memory")) continue;
      const auto block = to_number(std::string_view(entry).substr(6));
      if (!block || *block > kHighestBlock) continue;
      node.bits = std::max(node.bits, *block + 1);
      node.blocks.resize(std::max<std::size_t>(node.blocks.size(), *block / 64 + 1));
      node.blocks[*block / 64] |= u64{1} << (*block % 64);
    }
    topology.nodes.push_back(std::move(node));
  }
  std::sort(topology.nodes.begin(), topology.nodes.end(),
            [](const MemoryNode& a, const MemoryNode& b) { return a.id < b.id; });
  return topology;
}

}  // namespace peregrine
