#include "analysis/stat/stat_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/text/text_cursor.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "data/feature/host/node_cpus.h"
#include "sys/hardware/memory.h"
#include "sys/root.h"

namespace peregrine {

namespace {

using Key = std::array<int, 4>;  // socket, die, then smaller units; identifies and orders places

struct Keyed {
  Key key;
  std::string label;
};

// By CPU; nullopt if unknown.
using CpuNumbers = std::vector<std::optional<int>>;

std::optional<int> number_of(const CpuNumbers& numbers, int cpu) {
  const auto at = static_cast<std::size_t>(cpu);
  return at < numbers.size() ? numbers[at] : std::nullopt;
}

std::optional<int>& number_at(CpuNumbers& numbers, int cpu) {
  const auto at = static_cast<std::size_t>(cpu);
  if (at >= numbers.size()) numbers.resize(at + 1);
  return numbers[at];
}

// A cache is numbered by the first CPU that shares it, as in linux-perf. The caches of a level partition the CPUs, so
// stop when their lists hold more CPUs in total than can exist. Only a corrupt file has such lists.
CpuNumbers cache_numbers(const std::vector<CpuCache>& caches, u32 level) {
  CpuNumbers numbers;
  std::size_t total = 0;
  for (const CpuCache& cache : caches) {
    if (cache.level != level || cache.type == "Instruction") continue;
    const CpuList sharers = parse_cpu_list(trim(cache.map)).value_or(CpuList{});
    total += sharers.size();
    if (total > 2 * std::size_t{kHighestCpu + 1}) break;  // a level may have a data cache and a unified one
    for (const int cpu : sharers)
      if (auto& number = number_at(numbers, cpu); !number) number = sharers.front();
  }
  return numbers;
}

u32 last_level(const std::vector<CpuCache>& caches) {
  u32 level = 0;
  for (const CpuCache& cache : caches) level = std::max(level, cache.level);
  return level;
}

CpuNumbers node_numbers(const std::vector<CpuList>& nodes) {
  CpuNumbers numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const int cpu : nodes[i]) number_at(numbers, cpu) = static_cast<int>(i);
  return numbers;
}

// The numbers of an arrangement by CPU, computed once for all look-ups.
struct PlaceNumbers {
  CpuNumbers caches, nodes;
};

Keyed place_of(StatAggregation aggregation, int cpu, const CpuArrangement& arrangement, const PlaceNumbers& numbers,
               u32 cache_level) {
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
      const int cache = number_of(numbers.caches, cpu).value_or(-1);
      return {{socket, die, static_cast<int>(cache_level), cache},
              fmt::format("S{}-D{}-L{}-ID{}", socket, die, cache_level, cache)};
    }
    case StatAggregation::Socket:
      return {{socket}, fmt::format("S{}", socket)};
    case StatAggregation::Node: {
      const int node = number_of(numbers.nodes, cpu).value_or(0);
      return {{node}, fmt::format("N{}", node)};
    }
    case StatAggregation::Global:
    case StatAggregation::Thread:
      break;
  }
  return {};
}

void set_node(u32 id, CpuList cpus, std::vector<CpuList>& lists) {
  if (lists.size() <= id) lists.resize(id + std::size_t{1});
  lists[id] = std::move(cpus);
}

}  // namespace

bool sums_cpus(StatAggregation aggregation) { return is_by_cpu(aggregation) && aggregation != StatAggregation::Cpu; }

bool is_by_cpu(StatAggregation aggregation) {
  return aggregation != StatAggregation::Global && aggregation != StatAggregation::Thread;
}

CpuArrangement cpu_arrangement(const Root& root) {
  std::vector<CpuList> nodes;
  for (const NumaNode& node : numa_nodes(root)) set_node(node.id, parse_cpu_list(node.cpus).value_or(CpuList{}), nodes);
  return {cpu_topology(root), std::move(nodes), cpu_caches(root)};
}

CpuArrangement recorded_arrangement(const data::Features& features) {
  CpuArrangement arrangement;
  if (features.cpu_topology)
    for (const auto& place : features.cpu_topology->cpus)
      arrangement.topology.places.push_back({place.core, place.socket, place.die});
  if (features.numa_topology) {
    std::vector<CpuList> lists = data::cpus_of_nodes(*features.numa_topology);
    for (std::size_t i = 0; i < lists.size(); ++i)
      if (const u32 id = (*features.numa_topology)[i].id; id <= kHighestNode)
        set_node(id, std::move(lists[i]), arrangement.nodes);
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
  TextCursor cursor(version);
  const unsigned major = cursor.take_number<unsigned>().value_or(0);
  const unsigned minor = cursor.take('.') ? cursor.take_number<unsigned>().value_or(0) : 0;
  const auto since = [&](unsigned m) { return major > 6 || (major == 6 && minor >= m); };
  const std::span<const By> modes = since(9)   ? std::span<const By>(kModes69)
                                    : since(5) ? std::span<const By>(kModes65)
                                               : std::span<const By>(kModes61);
  return mode < modes.size() ? modes[mode] : By::Global;
}

std::vector<StatPlace> cpu_places(StatAggregation aggregation, const CpuList& cpus, const CpuArrangement& arrangement,
                                  u32 cache_level) {
  if (cache_level == 0) cache_level = last_level(arrangement.caches);
  const PlaceNumbers numbers{cache_numbers(arrangement.caches, cache_level), node_numbers(arrangement.nodes)};
  std::map<Key, StatPlace> found;
  for (const int cpu : cpus) {
    Keyed at = place_of(aggregation, cpu, arrangement, numbers, cache_level);
    const auto [same, fresh] = found.try_emplace(at.key);
    if (fresh) {
      same->second.name = aggregation == StatAggregation::Cpu ? fmt::format("{}", cpu) : at.label;
      same->second.label = std::move(at.label);
    }
    same->second.cpus.push_back(cpu);
  }
  std::vector<StatPlace> places;
  for (auto& each : found) places.push_back(std::move(each.second));
  return places;
}

}  // namespace peregrine
