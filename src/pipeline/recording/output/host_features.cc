#include "pipeline/recording/output/host_features.h"

#include <fmt/format.h>
#include <time.h>

#include <array>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "capture/perf_event/perf_clock.h"
#include "capture/synthesis/bpf_code.h"
#include "data/feature/recording/perf_clock_id.h"
#include "sys/hardware/cpu.h"
#include "sys/hardware/memory.h"
#include "sys/hardware/pmu.h"

namespace peregrine {
namespace {

using data::FeatureId;
using data::Features;

void gather_topology(const HostFacts& facts, Features& features) {
  const CpuTopology topology = cpu_topology(facts.root);
  data::CpuTopology out;
  out.core_siblings = topology.package_siblings;
  out.die_siblings = topology.die_siblings;
  out.thread_siblings = topology.core_siblings;
  out.has_dies = !topology.die_siblings.empty();
  for (const CpuPlace& place : topology.places) out.cpus.push_back({place.core, place.socket, place.die});
  features.cpu_topology = std::move(out);
}

void gather_numa_nodes(const HostFacts& facts, Features& features) {
  std::vector<data::NumaNode> nodes;
  for (const NumaNode& node : numa_nodes(facts.root)) {
    nodes.push_back({node.id, node.total_kb, node.free_kb, node.cpus});
  }
  if (!nodes.empty()) features.numa_topology = std::move(nodes);
}

void gather_memory_nodes(const HostFacts& facts, Features& features) {
  MemoryTopology memory = memory_topology(facts.root);
  if (memory.block_size == 0) return;
  data::MemoryTopology out;
  out.block_size = memory.block_size;
  for (MemoryNode& node : memory.nodes) out.nodes.push_back({node.id, node.bits, std::move(node.blocks)});
  features.memory_topology = std::move(out);
}

void gather_caches(const HostFacts& facts, Features& features) {
  std::vector<data::CacheLevel> levels;
  for (const CpuCache& cache : cpu_caches(facts.root)) {
    levels.push_back({cache.level, cache.line_size, cache.sets, cache.ways, cache.type, cache.size, cache.map});
  }
  if (!levels.empty()) features.caches = std::move(levels);
}

// Reads caps/NAME of one PMU.
std::vector<std::pair<std::string, std::string>> capabilities(const Root& root, const data::PmuType& pmu) {
  const std::string folder = fmt::format("/sys/bus/event_source/devices/{}/caps", pmu.name);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (auto& name : root.sorted_names(folder)) {
    if (auto value = root.line(fmt::format("{}/{}", folder, name)))
      pairs.emplace_back(std::move(name), std::move(*value));
  }
  return pairs;
}

// The CPU's own PMU has a separate section.
bool is_of_the_cpu(const data::PmuType& pmu) { return pmu.name == "cpu"; }

void gather_cpu_capabilities(const HostFacts& facts, Features& features) {
  for (const data::PmuType& pmu : facts.pmus) {
    if (!is_of_the_cpu(pmu)) continue;
    if (auto pairs = capabilities(facts.root, pmu); !pairs.empty()) features.cpu_pmu_caps = std::move(pairs);
  }
}

void gather_pmu_capabilities(const HostFacts& facts, Features& features) {
  features.pmu_caps.emplace();
  for (const data::PmuType& pmu : facts.pmus) {
    if (is_of_the_cpu(pmu)) continue;
    if (auto pairs = capabilities(facts.root, pmu); !pairs.empty()) {
      features.pmu_caps->push_back({pmu.name, std::move(pairs)});
    }
  }
}

// linux-perf writes this section even when it is empty.
void gather_bpf_programs(const HostFacts&, Features& features) {
  features.bpf_programs.emplace();
  for (LoadedProgram& loaded : read_loaded_programs()) {
    data::BpfProgram& program = features.bpf_programs->emplace_back();
    program.info_length = static_cast<u32>(loaded.information.size());
    program.data_length = static_cast<u32>(loaded.arrays.size());
    program.arrays = loaded.which;
    program.bytes = std::move(loaded.information);
    program.bytes.insert(program.bytes.end(), loaded.arrays.begin(), loaded.arrays.end());
  }
}

void gather_clock_resolution(const HostFacts& facts, Features& features) {
  if (!facts.request.clockid) return;
  if (const auto resolution = clock_resolution(*facts.request.clockid); resolution && *resolution != 0) {
    features.clock_resolution_ns = resolution;
  }
}

// Pairs the wall clock with the kernel's clock, which stamps events by default. Times of day need this pair.
void gather_perf_clock(Features& features) {
  auto clock = PerfClock::open(abi::EventAttr());
  if (!clock) return;
  const auto offset = clock->offset();
  const auto clocks = read_clocks(CLOCK_MONOTONIC);
  if (!offset || !clocks) return;
  features.clock_data =
      data::ClockData{1, data::kPerfClock, clocks->wall_ns, clocks->clock_ns + static_cast<u64>(*offset)};
}

void gather_clocks(const HostFacts& facts, Features& features) {
  if (!facts.request.clockid) {
    if (facts.request.samples) gather_perf_clock(features);
  } else if (const auto clocks = read_clocks(*facts.request.clockid)) {
    features.clock_data =
        data::ClockData{1, static_cast<u32>(*facts.request.clockid), clocks->wall_ns, clocks->clock_ns};
  }
}

// clang-format off
constexpr std::array kHostFeatures = std::to_array<HostFeature>({
    {FeatureId::Hostname, [](const HostFacts& of, Features& f) { f.hostname = of.host.hostname; }},
    {FeatureId::OsRelease, [](const HostFacts& of, Features& f) { f.os_release = of.host.release; }},
    {FeatureId::Version, [](const HostFacts& of, Features& f) { f.version = of.request.version; }},
    {FeatureId::Arch, [](const HostFacts& of, Features& f) { f.arch = of.host.machine; }},
    {FeatureId::NrCpus, [](const HostFacts& of, Features& f) { f.cpus = data::CpuCount{of.host.available_cpus, of.host.online_cpus}; }},
    {FeatureId::CpuDesc, [](const HostFacts& of, Features& f) { f.cpu_desc = cpu_description(of.root); }},
    {FeatureId::CpuId, [](const HostFacts& of, Features& f) { f.cpuid = cpuid_text(cpu_identity(of.root)); }},
    {FeatureId::TotalMem, [](const HostFacts& of, Features& f) { f.total_memory_kb = total_memory_kb(of.root); }},
    {FeatureId::Cmdline, [](const HostFacts& of, Features& f) { f.cmdline = of.request.command_line; }},
    {FeatureId::CpuTopology, gather_topology},
    {FeatureId::NumaTopology, gather_numa_nodes},
    {FeatureId::PmuMappings, [](const HostFacts& of, Features& f) { f.pmu_mappings = of.pmus; }},
    {FeatureId::Cache, gather_caches},
    {FeatureId::MemTopology, gather_memory_nodes},
    {FeatureId::ClockId, gather_clock_resolution},
    {FeatureId::BpfProgInfo, gather_bpf_programs},
    // Empty, but linux-perf writes this section too.
    {FeatureId::BpfBtf, [](const HostFacts&, Features& f) { f.bpf_types.emplace(); }},
    {FeatureId::CpuPmuCaps, gather_cpu_capabilities},
    {FeatureId::ClockData, gather_clocks},
    {FeatureId::PmuCaps, gather_pmu_capabilities},
});
// clang-format on

}  // namespace

std::span<const HostFeature> host_features() { return kHostFeatures; }

void gather_host_features(const Root& root, const HostFeatureRequest& request, Features& features,
                          std::span<const HostFeature> rows) {
  HostFacts facts{root, request, read_host(root), {}};
  for (const auto& [name, type] : pmu_types(root)) facts.pmus.push_back({type, name});
  for (const HostFeature& row : rows) row.gather(facts, features);
}

}  // namespace peregrine
