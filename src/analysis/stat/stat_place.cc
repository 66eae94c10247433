#include "analysis/stat/stat_place.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "sys/memory.h"

namespace peregrine {

namespace {

using Key = std::array<int, 4>;  // socket, die, and what is smaller; by it places are told apart and ordered

struct Keyed {
  Key key;
  std::string label;
};

// The first CPU that shares the cache of that level with `cpu` names it, as linux-perf has it; -1: no such cache.
int cache_number(const std::vector<CpuCache>& caches, u32 level, int cpu) {
  for (const CpuCache& cache : caches) {
    if (cache.level != level || cache.type == "Instruction") continue;
    const CpuList sharers = parse_cpu_list(trim(cache.map)).value_or(CpuList{});
    if (std::ranges::find(sharers, cpu) != sharers.end()) return sharers.front();
  }
  return -1;
}

u32 last_level(const std::vector<CpuCache>& caches) {
  u32 level = 0;
  for (const CpuCache& cache : caches) level = std::max(level, cache.level);
  return level;
}

int node_of(const std::vector<CpuList>& nodes, int cpu) {
  int node = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::ranges::find(nodes[i], cpu) != nodes[i].end()) node = static_cast<int>(i);
  return node;
}

Keyed place_of(StatAggregation aggregation, int cpu, const CpuArrangement& arrangement, u32 cache_level) {
  CpuPlace at;
  const auto& places = arrangement.topology.places;
  if (static_cast<std::size_t>(cpu) < places.size()) at = places[static_cast<std::size_t>(cpu)];
  const int socket = std::max(at.socket, 0), die = std::max(at.die, 0), core = std::max(at.core, 0);
  switch (aggregation) {
    case StatAggregation::Cpu:
      return {{cpu}, fmt::format("CPU{}", cpu)};
    case StatAggregation::Core:
      return {{socket, die, core}, fmt::format("S{}-D{}-C{}", socket, die, core)};
    case StatAggregation::Cluster: {
      const int cluster = std::max(at.cluster, 0);
      return {{socket, die, cluster}, fmt::format("S{}-D{}-CLS{}", socket, die, cluster)};
    }
    case StatAggregation::Die:
      return {{socket, die}, fmt::format("S{}-D{}", socket, die)};
    case StatAggregation::Cache: {
      const int cache = cache_number(arrangement.caches, cache_level, cpu);
      return {{socket, die, static_cast<int>(cache_level), cache},
              fmt::format("S{}-D{}-L{}-ID{}", socket, die, cache_level, cache)};
    }
    case StatAggregation::Socket:
      return {{socket}, fmt::format("S{}", socket)};
    case StatAggregation::Node: {
      const int node = node_of(arrangement.nodes, cpu);
      return {{node}, fmt::format("N{}", node)};
    }
    case StatAggregation::Global:
    case StatAggregation::Thread:
      break;
  }
  return {};
}

template <class Nodes>
std::vector<CpuList> by_number(const Nodes& nodes) {
  std::vector<CpuList> lists;
  for (const auto& node : nodes) {
    if (lists.size() <= node.id) lists.resize(node.id + std::size_t{1});
    lists[node.id] = parse_cpu_list(node.cpus).value_or(CpuList{});
  }
  return lists;
}

}  // namespace

bool sums_cpus(StatAggregation aggregation) { return is_by_cpu(aggregation) && aggregation != StatAggregation::Cpu; }

bool is_by_cpu(StatAggregation aggregation) {
  return aggregation != StatAggregation::Global && aggregation != StatAggregation::Thread;
}

CpuArrangement cpu_arrangement(const Root& root) {
  return {cpu_topology(root), by_number(numa_nodes(root)), cpu_caches(root)};
}

CpuArrangement recorded_arrangement(const data::Features& features) {
  constexpr u32 kHighestNode = 1023;  // a file may claim anything
  CpuArrangement arrangement;
  if (features.cpu_topology)
    for (const auto& place : features.cpu_topology->cpus)
      arrangement.topology.places.push_back({place.core, place.socket, place.die});
  if (features.numa_topology) {
    std::vector<data::NumaNode> nodes = *features.numa_topology;
    std::erase_if(nodes, [](const data::NumaNode& node) { return node.id > kHighestNode; });
    arrangement.nodes = by_number(nodes);
  }
  if (features.caches)
    for (const auto& cache : *features.caches)
      arrangement.caches.push_back(
          {cache.level, cache.line_size, cache.sets, cache.ways, cache.type, cache.size, cache.cpus});
  return arrangement;
}

namespace {

using By = StatAggregation;
constexpr By kModes61[] = {By::Cpu, By::Global, By::Socket, By::Die, By::Core, By::Thread, By::Global, By::Node};
constexpr By kModes65[] = {By::Cpu,  By::Global, By::Socket, By::Die, By::Cache,
                           By::Core, By::Thread, By::Global, By::Node};
constexpr By kModes69[] = {By::Cpu,   By::Global, By::Socket, By::Die,    By::Cluster,
                           By::Cache, By::Core,   By::Thread, By::Global, By::Node};

}  // namespace

u64 recorded_mode(StatAggregation aggregation) {
  const auto* found = std::ranges::find(kModes61, aggregation);
  return found == std::end(kModes61) ? 1 : static_cast<u64>(found - std::begin(kModes61));
}

StatAggregation aggregation_of(u64 mode, std::string_view version) {
  unsigned major = 0, minor = 0;
  const char* end = version.data() + version.size();
  const auto parsed = std::from_chars(version.data(), end, major);
  if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '.') std::from_chars(parsed.ptr + 1, end, minor);
  const auto since = [&](unsigned m) { return major > 6 || (major == 6 && minor >= m); };
  const std::span<const By> modes = since(9)   ? std::span<const By>(kModes69)
                                    : since(5) ? std::span<const By>(kModes65)
                                               : std::span<const By>(kModes61);
  return mode < modes.size() ? modes[mode] : By::Global;
}

std::vector<StatPlace> cpu_places(StatAggregation aggregation, const CpuList& cpus, const CpuArrangement& arrangement,
                                  u32 cache_level) {
  if (cache_level == 0) cache_level = last_level(arrangement.caches);
  std::vector<std::pair<Key, StatPlace>> found;
  for (const int cpu : cpus) {
    Keyed at = place_of(aggregation, cpu, arrangement, cache_level);
    auto same = std::ranges::find(found, at.key, &std::pair<Key, StatPlace>::first);
    if (same == found.end()) {
      const std::string name = aggregation == StatAggregation::Cpu ? fmt::format("{}", cpu) : at.label;
      found.push_back({at.key, {.label = std::move(at.label), .name = name}});
      same = std::prev(found.end());
    }
    same->second.cpus.push_back(cpu);
  }
  std::ranges::sort(found, {}, &std::pair<Key, StatPlace>::first);
  std::vector<StatPlace> places;
  for (auto& each : found) places.push_back(std::move(each.second));
  return places;
}

}  // namespace peregrine
