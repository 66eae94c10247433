#include "output/text/dump/feature_text.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <optional>
#include <unordered_map>
#include <utility>

#include "data/feature/bpf/bpf_symbol.h"
#include "data/feature/features.h"
#include "data/feature/recording/perf_clock_id.h"
#include "event/attr_text.h"
#include "event/kind/name.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

using data::FeatureId;
using data::Features;

void print_text(FeaturePage& page, std::string_view label, const std::optional<std::string>& text) {
  page.out.format("# {} : {}\n", label, text ? printable(*text) : "(null)");
}

void print_cpus(FeaturePage& page) {
  const data::CpuCount count = page.features.cpus.value_or(data::CpuCount{});
  page.out.format("# nrcpus online : {}\n# nrcpus avail : {}\n", count.online, count.available);
}

// As in linux-perf, quotes become \' and a blank follows each argument.
void print_cmdline(FeaturePage& page) {
  page.out.append("# cmdline : ");
  if (!page.features.cmdline) return static_cast<void>(page.out.append('\n'));
  for (const std::string& word : *page.features.cmdline) {
    for (const char c : printable(word)) {
      if (c == '\'') page.out.append('\\');
      page.out.append(c);
    }
    page.out.append(' ');
  }
  page.out.append('\n');
}

void print_events(FeaturePage& page) {
  if (!page.features.event_desc) {
    page.out.append("# event desc: not available or unable to read\n");
    return;
  }
  for (const data::EventDescription& event : *page.features.event_desc) {
    page.out.format("# event : name = {}, ", printable(event.name));
    for (std::size_t i = 0; i < event.ids.size(); ++i)
      page.out.format("{}{}", i == 0 ? ", id = { " : ", ", event.ids[i]);
    if (!event.ids.empty()) page.out.append(" }");
    for (const auto& [name, value] : attr_fields(event.attr)) page.out.format(", {} = {}", name, value);
    page.out.append('\n');
  }
}

void print_cpu_topology(FeaturePage& page) {
  const data::CpuTopology topology = page.features.cpu_topology.value_or(data::CpuTopology{});
  for (const std::string& list : topology.core_siblings) page.out.format("# sibling sockets : {}\n", printable(list));
  for (const std::string& list : topology.die_siblings) page.out.format("# sibling dies    : {}\n", printable(list));
  for (const std::string& list : topology.thread_siblings) page.out.format("# sibling threads : {}\n", printable(list));
  if (topology.cpus.empty()) {
    page.out.append("# Core ID and Socket ID information is not available\n");
  }
  for (std::size_t i = 0; i < topology.cpus.size(); ++i) {
    const auto& cpu = topology.cpus[i];
    page.out.format("# CPU {}: Core ID {}, ", i, cpu.core);
    if (!topology.die_siblings.empty()) page.out.format("Die ID {}, ", cpu.die);
    page.out.format("Socket ID {}\n", cpu.socket);
  }
}

void print_numa(FeaturePage& page) {
  for (const data::NumaNode& node : page.features.numa_topology.value_or(std::vector<data::NumaNode>{})) {
    page.out.format("# node{} meminfo  : total = {} kB, free = {} kB\n", node.id, node.total_kb, node.free_kb);
    page.out.format("# node{} cpu list : {}\n", node.id, printable(node.cpus));
  }
}

void print_pmu_mappings(FeaturePage& page) {
  page.out.append("# pmu mappings: ");
  if (!page.features.pmu_mappings || page.features.pmu_mappings->empty()) {
    page.out.append("not available\n");
    return;
  }
  const char* comma = "";
  for (const data::PmuType& pmu : *page.features.pmu_mappings) {
    page.out.format("{}{} = {}", comma, printable(pmu.name), pmu.type);
    comma = ", ";
  }
  page.out.append('\n');
}

std::string name_of(const data::Event& event) { return event.name.empty() ? event_name(event.attr) : event.name; }

void print_groups(FeaturePage& page) {
  for (std::size_t i = 0; i < page.evlist.size(); ++i) {
    const data::Event& event = page.evlist[i];
    if (event.leader != i || event.members < 2) continue;
    page.out.format("# group: {}{{{}", printable(event.group_name), printable(name_of(event)));
    for (std::size_t member = i + 1; member < i + event.members; ++member) {
      page.out.format(",{}", printable(name_of(page.evlist[member])));
    }
    page.out.append("}\n");
  }
}

void print_caches(FeaturePage& page) {
  page.out.append("# CPU cache info:\n");
  for (const data::CacheLevel& level : page.features.caches.value_or(std::vector<data::CacheLevel>{})) {
    page.out.format("#  L{} {:<15} {:>8} [{}]\n", level.level, printable(level.type), printable(level.size),
                    printable(level.cpus));
  }
}

void print_sample_times(FeaturePage& page) {
  const data::SampleTimes times = page.features.sample_times.value_or(data::SampleTimes{});
  const auto seconds = [](u64 ns) { return fmt::format("{}.{:06}", ns / 1000000000, ns % 1000000000 / 1000); };
  page.out.format("# time of first sample : {}\n# time of last sample : {}\n", seconds(times.first),
                  seconds(times.last));
  page.out.format("# sample duration : {:10.3f} ms\n", static_cast<double>(times.last - times.first) / 1e6);
}

// Formats a size as "24G": divides by 1024 as long as the result is at least 2.
std::string size_text(u64 bytes) {
  const char* unit = "BKMG";
  while (bytes / 1024 > 1 && unit[1] != 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, *unit);
}

// Formats the bits that are set as "0-23,32-199".
std::string ranges_text(const std::vector<u64>& set, u64 bits) {
  std::string text;
  const auto has = [&](u64 bit) { return bit < bits && bit / 64 < set.size() && (set[bit / 64] >> bit % 64 & 1) != 0; };
  const u64 end = std::min<u64>(bits, set.size() * 64);
  for (u64 first = 0; first < end; ++first) {
    if (!has(first)) continue;
    u64 last = first;
    while (has(last + 1)) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last != first) text += fmt::format("-{}", last);
    first = last;
  }
  return text;
}

void print_memory_nodes(FeaturePage& page) {
  const data::MemoryTopology topology = page.features.memory_topology.value_or(data::MemoryTopology{});
  page.out.format("# memory nodes (nr {}, block size {:#x}):\n", topology.nodes.size(), topology.block_size);
  for (const auto& node : topology.nodes) {
    u64 blocks = 0;
    for (const u64 word : node.set) blocks += static_cast<u64>(std::popcount(word));
    page.out.format("#  {:3} [{}]: {}\n", node.id, size_text(topology.block_size * blocks),
                    ranges_text(node.set, node.bits));
  }
}

void print_bpf_programs(FeaturePage& page) {
  std::unordered_map<u32, data::BtfTypeNames> known;
  const auto types_of = [&](u32 id) -> const data::BtfTypeNames* {
    if (id == 0 || !page.features.bpf_types) return nullptr;
    if (const auto at = known.find(id); at != known.end()) return &at->second;
    const auto found = std::ranges::find(*page.features.bpf_types, id, &data::BpfTypes::id);
    if (found == page.features.bpf_types->end()) return nullptr;
    return &known.try_emplace(id, found->bytes, page.header.order).first->second;
  };
  for (const data::BpfProgram& program : page.features.bpf_programs.value_or(std::vector<data::BpfProgram>{})) {
    const std::size_t count = std::min(program.addresses.size(), program.sizes.size());
    if (count == 0) continue;
    page.out.format("# bpf_prog_info {}:", program.id);
    if (count > 1) page.out.append('\n');
    const data::BtfTypeNames* const types = types_of(program.btf_id);
    for (std::size_t i = 0; i < count; ++i) {
      if (count > 1) page.out.format("# \tsub_prog {}:", i);
      page.out.format(" {} addr {:#x} size {}\n", printable(data::bpf_symbol(program, i, types)), program.addresses[i],
                      program.sizes[i]);
    }
  }
}

void print_bpf_types(FeaturePage& page) {
  for (const data::BpfTypes& types : page.features.bpf_types.value_or(std::vector<data::BpfTypes>{})) {
    page.out.format("# btf info of id {}\n", types.id);
  }
}

void print_compression(FeaturePage& page) {
  const data::CompressionParameters p = page.features.compression.value_or(data::CompressionParameters{});
  page.out.format("# compressed : {}, level = {}, ratio = {}\n", p.type == 1 ? "Zstd" : "Unknown", p.level, p.ratio);
}

void print_capabilities(FeaturePage& page, const std::string& pmu,
                        const std::vector<std::pair<std::string, std::string>>& pairs) {
  page.out.format("# {} pmu capabilities: ", printable(pmu));
  const char* comma = "";
  for (const auto& [name, value] : pairs) {
    page.out.format("{}{}={}", comma, printable(name), printable(value));
    comma = ", ";
  }
  page.out.append(pairs.empty() ? "not available\n" : "\n");
}

void print_cpu_pmu_caps(FeaturePage& page) {
  print_capabilities(page, "cpu", page.features.cpu_pmu_caps.value_or(decltype(Features::cpu_pmu_caps)::value_type{}));
}

void print_pmu_caps(FeaturePage& page) {
  for (const data::PmuCapabilities& pmu : page.features.pmu_caps.value_or(std::vector<data::PmuCapabilities>{})) {
    print_capabilities(page, pmu.pmu, pmu.pairs);
  }
}

void print_hybrid(FeaturePage& page) {
  page.out.append("# hybrid cpu system:\n");
  for (const data::HybridPmu& pmu : page.features.hybrid_topology.value_or(std::vector<data::HybridPmu>{})) {
    page.out.format("# {} cpu list : {}\n", printable(pmu.name), printable(pmu.cpus));
  }
}

void print_scheduling_domains(FeaturePage& page) {
  const data::SchedulingDomains all = page.features.scheduling_domains.value_or(data::SchedulingDomains{});
  page.out.format("# schedstat version\t: {}\n# Maximum sched domains\t: {}\n", all.schedstat_version,
                  all.most_domains);
  for (const data::CpuDomains& cpu : all.cpus) {
    page.out.format("# cpu\t\t: {}\n# nr_domains\t: {}\n", cpu.cpu, cpu.domains.size());
    for (const data::CpuDomains::Domain& domain : cpu.domains) {
      page.out.format("# Domain\t\t: {}\n", domain.number);
      if (!domain.name.empty()) page.out.format("# Domain name      : {}\n", printable(domain.name));
      page.out.format("# Domain cpu map   : {}\n# Domain cpu list  : {}\n", printable(domain.mask),
                      printable(domain.cpus));
    }
  }
}

void print_elf_machine(FeaturePage& page) {
  const data::ElfMachine machine = page.features.elf_machine.value_or(data::ElfMachine{});
  page.out.format("# e_machine : {}\n# e_flags : {:#x}\n", machine.machine, machine.flags);
}

std::string_view clock_name(u32 id) {
  // clang-format off
  switch (id) {
    case CLOCK_REALTIME: return "realtime";
    case CLOCK_MONOTONIC: return "monotonic";
    case CLOCK_MONOTONIC_RAW: return "monotonic_raw";
    case CLOCK_BOOTTIME: return "boottime";
    case CLOCK_TAI: return "tai";
    case data::kPerfClock: return "perf clock";
    default: return "(not found)";
  }
  // clang-format on
}

void print_clock_data(FeaturePage& page) {
  if (!page.features.clock_data) {
    page.out.append("# reference time disabled\n");
    return;
  }
  const data::ClockData& data = *page.features.clock_data;
  const auto seconds = [](u64 ns) { return static_cast<std::time_t>(ns / 1000000000); };
  const std::time_t wall = seconds(data.wall_clock_ns);
  std::tm parts{};
  char date[64] = "<error>";
  if (::localtime_r(&wall, &parts) != nullptr) std::strftime(date, sizeof date, "%F %T", &parts);
  const u64 wall_us = data.wall_clock_ns % 1000000000 / 1000;
  page.out.format("# clockid: {} ({})\n", clock_name(data.clockid), data.clockid);
  page.out.format("# reference time: {}.{:06} = {}.{:06} (TOD) = {}.{:09} ({})\n", date, wall_us, wall, wall_us,
                  seconds(data.clock_ns), data.clock_ns % 1000000000, clock_name(data.clockid));
}

FeatureValues text_value(std::string_view key, const std::optional<std::string>& text) {
  return text ? FeatureValues{{key, std::string_view(*text)}} : FeatureValues();
}

FeatureValues cpu_values(const Features& features) {
  if (!features.cpus) return {};
  return {{"nrcpus-online", u64{features.cpus->online}}, {"nrcpus-avail", u64{features.cpus->available}}};
}

FeatureValues cmdline_value(const Features& features) {
  return features.cmdline ? FeatureValues{{"cmdline", std::span(*features.cmdline)}} : FeatureValues();
}

constexpr auto kAlways = FeatureDetail::Always, kFull = FeatureDetail::Full;

// clang-format off
constexpr std::array kRows = std::to_array<FeatureText>({
    {FeatureId::Hostname, [](FeaturePage& p) { print_text(p, "hostname", p.features.hostname); }, kAlways,
     [](const Features& f) { return text_value("hostname", f.hostname); }},
    {FeatureId::OsRelease, [](FeaturePage& p) { print_text(p, "os release", p.features.os_release); }, kAlways,
     [](const Features& f) { return text_value("os-release", f.os_release); }},
    {FeatureId::Arch, [](FeaturePage& p) { print_text(p, "arch", p.features.arch); }, kAlways,
     [](const Features& f) { return text_value("arch", f.arch); }},
    {FeatureId::CpuDesc, [](FeaturePage& p) { print_text(p, "cpudesc", p.features.cpu_desc); }, kAlways,
     [](const Features& f) { return text_value("cpu-desc", f.cpu_desc); }},
    {FeatureId::CpuId, [](FeaturePage& p) { print_text(p, "cpuid", p.features.cpuid); }, kAlways,
     [](const Features& f) { return text_value("cpuid", f.cpuid); }},
    {FeatureId::NrCpus, print_cpus, kAlways, cpu_values},
    {FeatureId::Version, [](FeaturePage& p) { print_text(p, "perf version", p.features.version); }, kAlways,
     [](const Features& f) { return text_value("perf-version", f.version); }},
    {FeatureId::Cmdline, print_cmdline, kAlways, cmdline_value},
    {FeatureId::TracingData},
    {FeatureId::BuildId},
    {FeatureId::TotalMem, [](FeaturePage& p) { p.out.format("# total memory : {} kB\n", p.features.total_memory_kb.value_or(0)); }},
    {FeatureId::EventDesc, print_events},
    {FeatureId::CpuTopology, print_cpu_topology, kFull},
    {FeatureId::NumaTopology, print_numa, kFull},
    {FeatureId::BranchStack, [](FeaturePage& p) { p.out.append("# contains samples with branch stack\n"); }},
    {FeatureId::PmuMappings, print_pmu_mappings},
    {FeatureId::GroupDesc, print_groups},
    {FeatureId::Auxtrace, [](FeaturePage& p) { p.out.append("# contains AUX area data (e.g. instruction trace)\n"); }},
    {FeatureId::Stat, [](FeaturePage& p) { p.out.append("# contains stat data\n"); }},
    {FeatureId::Cache, print_caches, kFull},
    {FeatureId::SampleTime, print_sample_times},
    {FeatureId::MemTopology, print_memory_nodes, kFull},
    // The wrong unit is linux-perf's: it multiplies nanoseconds by 1,000 and calls the result MHz.
    {FeatureId::ClockId, [](FeaturePage& p) { p.out.format("# clockid frequency: {} MHz\n", p.features.clock_resolution_ns.value_or(0) * 1000); }},
    {FeatureId::DirFormat, [](FeaturePage& p) { p.out.format("# directory data version : {}\n", p.features.dir_version.value_or(0)); }},
    {FeatureId::BpfProgInfo, print_bpf_programs},
    {FeatureId::BpfBtf, print_bpf_types},
    {FeatureId::Compressed, print_compression},
    {FeatureId::CpuPmuCaps, print_cpu_pmu_caps},
    {FeatureId::ClockData, print_clock_data},
    {FeatureId::HybridTopology, print_hybrid, kFull},
    {FeatureId::PmuCaps, print_pmu_caps},
    {FeatureId::CpuDomainInfo, print_scheduling_domains, kFull},
    {FeatureId::EMachine, print_elf_machine},
    {FeatureId::ClnSize, [](FeaturePage& p) { p.out.format("# cacheline size : {}\n", p.features.cacheline_size.value_or(0)); }},
});
// clang-format on

}  // namespace

std::span<const FeatureText> feature_texts() { return kRows; }

}  // namespace peregrine
