#include "pipeline/recording/output/host_features.h"

#include <time.h>

#include <utility>

#include "capture/perf_event/perf_clock.h"
#include "capture/synthesis/bpf_code.h"
#include "data/feature/recording/perf_clock_id.h"
#include "sys/hardware/cpu.h"
#include "sys/hardware/memory.h"
#include "sys/hardware/pmu.h"
#include "sys/kernel/host.h"

namespace peregrine {
namespace {

void gather_topology(const Root& root, data::Features& features) {
  const CpuTopology topology = cpu_topology(root);
  data::CpuTopology out;
  out.core_siblings = topology.package_siblings;
  out.die_siblings = topology.die_siblings;
  out.thread_siblings = topology.core_siblings;
  out.has_dies = !topology.die_siblings.empty();
  for (const CpuPlace& place : topology.places) out.cpus.push_back({place.core, place.socket, place.die});
  features.cpu_topology = std::move(out);
}

void gather_memory(const Root& root, data::Features& features) {
  features.total_memory_kb = total_memory_kb(root);
  std::vector<data::NumaNode> nodes;
  for (const NumaNode& node : numa_nodes(root)) nodes.push_back({node.id, node.total_kb, node.free_kb, node.cpus});
  if (!nodes.empty()) features.numa_topology = std::move(nodes);
  MemoryTopology memory = memory_topology(root);
  if (memory.block_size == 0) return;
  data::MemoryTopology out;
  out.block_size = memory.block_size;
  for (MemoryNode& node : memory.nodes) out.nodes.push_back({node.id, node.bits, std::move(node.blocks)});
  features.memory_topology = std::move(out);
}

void gather_cpus(const Root& root, const Host& host, data::Features& features) {
  features.cpus = data::CpuCount{host.available_cpus, host.online_cpus};
  features.cpu_desc = cpu_description(root);
  features.cpuid = cpuid_text(cpu_identity(root));
  std::vector<data::CacheLevel> levels;
  for (const CpuCache& cache : cpu_caches(root)) {
    levels.push_back({cache.level, cache.line_size, cache.sets, cache.ways, cache.type, cache.size, cache.map});
  }
  if (!levels.empty()) features.caches = std::move(levels);
}

// Reads caps/NAME of each PMU. The CPU's own PMU has a separate section.
void gather_pmu_capabilities(const Root& root, const std::vector<data::PmuType>& pmus, data::Features& features) {
  features.pmu_caps.emplace();
  for (const data::PmuType& pmu : pmus) {
    const std::string folder = fmt::format("/sys/bus/event_source/devices/{}/caps", pmu.name);
    std::vector<std::pair<std::string, std::string>> pairs;
    for (auto& name : root.sorted_names(folder)) {
      if (auto value = root.line(fmt::format("{}/{}", folder, name)))
        pairs.emplace_back(std::move(name), std::move(*value));
    }
    if (pairs.empty()) continue;
    if (pmu.name == "cpu") {
      features.cpu_pmu_caps = std::move(pairs);
    } else {
      features.pmu_caps->push_back({pmu.name, std::move(pairs)});
    }
  }
}

// Pairs the wall clock with the kernel's clock, which stamps events by default. Times of day need this pair.
void gather_perf_clock(data::Features& features) {
  auto clock = PerfClock::open(abi::EventAttr());
  if (!clock) return;
  const auto offset = clock->offset();
  const auto clocks = read_clocks(CLOCK_MONOTONIC);
  if (!offset || !clocks) return;
  features.clock_data =
      data::ClockData{1, data::kPerfClock, clocks->wall_ns, clocks->clock_ns + static_cast<u64>(*offset)};
}

}  // namespace

void gather_host_features(const Root& root, const HostFeatureRequest& request, data::Features& features) {
  const Host host = read_host(root);
  features.hostname = host.hostname;
  features.os_release = host.release;
  features.arch = host.machine;
  features.version = request.version;
  features.cmdline = request.command_line;
  gather_cpus(root, host, features);
  gather_topology(root, features);
  gather_memory(root, features);
  std::vector<data::PmuType> pmus;
  for (const auto& [name, type] : pmu_types(root)) pmus.push_back({type, name});
  gather_pmu_capabilities(root, pmus, features);
  features.pmu_mappings = std::move(pmus);
  // linux-perf writes these sections even when they are empty.
  features.bpf_programs.emplace();
  for (LoadedProgram& loaded : read_loaded_programs()) {
    data::BpfProgram& program = features.bpf_programs->emplace_back();
    program.info_length = static_cast<u32>(loaded.information.size());
    program.data_length = static_cast<u32>(loaded.arrays.size());
    program.arrays = loaded.which;
    program.bytes = std::move(loaded.information);
    program.bytes.insert(program.bytes.end(), loaded.arrays.begin(), loaded.arrays.end());
  }
  features.bpf_types.emplace();
  if (!request.clockid) {
    if (request.samples) gather_perf_clock(features);
    return;
  }
  if (const auto resolution = clock_resolution(*request.clockid); resolution && *resolution != 0) {
    features.clock_resolution_ns = resolution;
  }
  if (const auto clocks = read_clocks(*request.clockid)) {
    features.clock_data = data::ClockData{1, static_cast<u32>(*request.clockid), clocks->wall_ns, clocks->clock_ns};
  }
}

}  // namespace peregrine
