#include "output/text/dump/header_text.h"

#include <algorithm>
#include <bit>
#include <ctime>

#include "data/feature/bpf/bpf_symbol.h"
#include "data/feature/recording/perf_clock_id.h"
#include "event/attr_text.h"
#include "event/kind/name.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

using data::FeatureId;
using data::Features;

constexpr u32 kLastFeature = static_cast<u32>(FeatureId::ClnSize);
constexpr u32 kLastMissing = static_cast<u32>(FeatureId::PmuCaps);  // linux-perf 6.1 does not report later ones

struct HeaderText {
  const data::Header& header;
  const Features& features;
  const data::Evlist& evlist;
  Sink& out;
};

void print_text(HeaderText& page, std::string_view label, const std::optional<std::string>& text) {
  page.out.format("# {} : {}\n", label, text ? printable(*text) : "(null)");
}

void print_cpus(HeaderText& page) {
  const data::CpuCount count = page.features.cpus.value_or(data::CpuCount{});
  page.out.format("# nrcpus online : {}\n# nrcpus avail : {}\n", count.online, count.available);
}

// As in linux-perf, quotes become \' and a blank follows each argument.
void print_cmdline(HeaderText& page) {
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

void print_events(HeaderText& page) {
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

void print_cpu_topology(HeaderText& page) {
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

void print_numa(HeaderText& page) {
  for (const data::NumaNode& node : page.features.numa_topology.value_or(std::vector<data::NumaNode>{})) {
    page.out.format("# node{} meminfo  : total = {} kB, free = {} kB\n", node.id, node.total_kb, node.free_kb);
    page.out.format("# node{} cpu list : {}\n", node.id, printable(node.cpus));
  }
}

void print_pmu_mappings(HeaderText& page) {
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

void print_groups(HeaderText& page) {
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

void print_caches(HeaderText& page) {
  page.out.append("# CPU cache info:\n");
  for (const data::CacheLevel& level : page.features.caches.value_or(std::vector<data::CacheLevel>{})) {
    page.out.format("#  L{} {:<15} {:>8} [{}]\n", level.level, printable(level.type), printable(level.size),
                    printable(level.cpus));
  }
}

void print_sample_times(HeaderText& page) {
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

void print_memory_nodes(HeaderText& page) {
  const data::MemoryTopology topology = page.features.memory_topology.value_or(data::MemoryTopology{});
  page.out.format("# memory nodes (nr {}, block size {:#x}):\n", topology.nodes.size(), topology.block_size);
  for (const auto& node : topology.nodes) {
    u64 blocks = 0;
    for (const u64 word : node.set) blocks += static_cast<u64>(std::popcount(word));
    page.out.format("#  {:3} [{}]: {}\n", node.id, size_text(topology.block_size * blocks),
                    ranges_text(node.set, node.bits));
  }
}

void print_bpf_programs(HeaderText& page) {
  const auto types_of = [&](u32 id) -> const data::BpfTypes* {
    if (id == 0 || !page.features.bpf_types) return nullptr;
    const auto found = std::ranges::find(*page.features.bpf_types, id, &data::BpfTypes::id);
    return found == page.features.bpf_types->end() ? nullptr : &*found;
  };
  for (const data::BpfProgram& program : page.features.bpf_programs.value_or(std::vector<data::BpfProgram>{})) {
    const std::size_t count = std::min(program.addresses.size(), program.sizes.size());
    if (count == 0) continue;
    page.out.format("# bpf_prog_info {}:", program.id);
    if (count > 1) page.out.append('\n');
    for (std::size_t i = 0; i < count; ++i) {
      if (count > 1) page.out.format("# \tsub_prog {}:", i);
      page.out.format(" {} addr {:#x} size {}\n",
                      printable(data::bpf_symbol(program, i, types_of(program.btf_id), page.header.order)),
                      program.addresses[i], program.sizes[i]);
    }
  }
}

void print_bpf_types(HeaderText& page) {
  for (const data::BpfTypes& types : page.features.bpf_types.value_or(std::vector<data::BpfTypes>{})) {
    page.out.format("# btf info of id {}\n", types.id);
  }
}

void print_compression(HeaderText& page) {
  const data::CompressionParameters p = page.features.compression.value_or(data::CompressionParameters{});
  page.out.format("# compressed : {}, level = {}, ratio = {}\n", p.type == 1 ? "Zstd" : "Unknown", p.level, p.ratio);
}

void print_capabilities(HeaderText& page, const std::string& pmu,
                        const std::vector<std::pair<std::string, std::string>>& pairs) {
  page.out.format("# {} pmu capabilities: ", printable(pmu));
  const char* comma = "";
  for (const auto& [name, value] : pairs) {
    page.out.format("{}{}={}", comma, printable(name), printable(value));
    comma = ", ";
  }
  page.out.append(pairs.empty() ? "not available\n" : "\n");
}

void print_pmu_caps(HeaderText& page) {
  for (const data::PmuCapabilities& pmu : page.features.pmu_caps.value_or(std::vector<data::PmuCapabilities>{})) {
    print_capabilities(page, pmu.pmu, pmu.pairs);
  }
}

void print_hybrid(HeaderText& page) {
  page.out.append("# hybrid cpu system:\n");
  for (const data::HybridPmu& pmu : page.features.hybrid_topology.value_or(std::vector<data::HybridPmu>{})) {
    page.out.format("# {} cpu list : {}\n", printable(pmu.name), printable(pmu.cpus));
  }
}

void print_scheduling_domains(HeaderText& page) {
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

void print_elf_machine(HeaderText& page) {
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

void print_clock_data(HeaderText& page) {
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

void print_feature(HeaderText& page, FeatureId id) {
  const Features& f = page.features;
  // clang-format off
  switch (id) {
    case FeatureId::Hostname: return print_text(page, "hostname", f.hostname);
    case FeatureId::OsRelease: return print_text(page, "os release", f.os_release);
    case FeatureId::Version: return print_text(page, "perf version", f.version);
    case FeatureId::Arch: return print_text(page, "arch", f.arch);
    case FeatureId::CpuDesc: return print_text(page, "cpudesc", f.cpu_desc);
    case FeatureId::CpuId: return print_text(page, "cpuid", f.cpuid);
    case FeatureId::NrCpus: return print_cpus(page);
    case FeatureId::TotalMem: page.out.format("# total memory : {} kB\n", f.total_memory_kb.value_or(0)); return;
    case FeatureId::Cmdline: return print_cmdline(page);
    case FeatureId::EventDesc: return print_events(page);
    case FeatureId::CpuTopology: return print_cpu_topology(page);
    case FeatureId::NumaTopology: return print_numa(page);
    case FeatureId::BranchStack: page.out.append("# contains samples with branch stack\n"); return;
    case FeatureId::PmuMappings: return print_pmu_mappings(page);
    case FeatureId::GroupDesc: return print_groups(page);
    case FeatureId::Auxtrace: page.out.append("# contains AUX area data (e.g. instruction trace)\n"); return;
    case FeatureId::Stat: page.out.append("# contains stat data\n"); return;
    case FeatureId::Cache: return print_caches(page);
    case FeatureId::SampleTime: return print_sample_times(page);
    case FeatureId::MemTopology: return print_memory_nodes(page);
    // The wrong unit is linux-perf's: it multiplies nanoseconds by 1,000 and calls the result MHz.
    case FeatureId::ClockId: page.out.format("# clockid frequency: {} MHz\n", f.clock_resolution_ns.value_or(0) * 1000); return;
    case FeatureId::DirFormat: page.out.format("# directory data version : {}\n", f.dir_version.value_or(0)); return;
    case FeatureId::BpfProgInfo: return print_bpf_programs(page);
    case FeatureId::BpfBtf: return print_bpf_types(page);
    case FeatureId::Compressed: return print_compression(page);
    case FeatureId::CpuPmuCaps: return print_capabilities(page, "cpu", f.cpu_pmu_caps.value_or(decltype(f.cpu_pmu_caps)::value_type{}));
    case FeatureId::ClockData: return print_clock_data(page);
    case FeatureId::HybridTopology: return print_hybrid(page);
    case FeatureId::PmuCaps: return print_pmu_caps(page);
    case FeatureId::CpuDomainInfo: return print_scheduling_domains(page);
    case FeatureId::EMachine: return print_elf_machine(page);
    case FeatureId::ClnSize: page.out.format("# cacheline size : {}\n", f.cacheline_size.value_or(0)); return;
    case FeatureId::TracingData:
    case FeatureId::BuildId: return;
  }
  // clang-format on
}

bool only_in_full(FeatureId id) {
  return id == FeatureId::CpuTopology || id == FeatureId::NumaTopology || id == FeatureId::Cache ||
         id == FeatureId::MemTopology || id == FeatureId::HybridTopology || id == FeatureId::CpuDomainInfo;
}

void print_features(HeaderText& page, bool full) {
  for (const u32 number : page.header.present) {
    const auto id = static_cast<FeatureId>(number);
    if (number > kLastFeature) continue;
    if (only_in_full(id) && !full) {
      page.out.format("# {} info available, use -I to display\n", data::feature_name(number));
    } else {
      print_feature(page, id);
    }
  }
}

void print_missing(HeaderText& page) {
  page.out.append("# missing features: ");
  for (u32 id = 1; id <= kLastMissing; ++id) {
    if (!page.header.has(static_cast<FeatureId>(id))) page.out.format("{} ", data::feature_name(id));
  }
  page.out.append('\n');
}

}  // namespace

void print_header(const data::Header& header, const data::Evlist& evlist, bool full, Sink& out) {
  HeaderText page{header, header.features, evlist, out};
  const bool pipe = header.layout == data::Layout::Pipe;
  const auto when = static_cast<std::time_t>(header.captured_on);
  std::tm parts{};
  char date[64] = "";
  if (::localtime_r(&when, &parts) != nullptr) std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &parts);
  out.format("# ========\n# captured on    : {}\n# header version : {}\n", date, header.version - 1);
  out.format("# data offset    : {}\n# data size      : {}\n# feat offset    : {}\n", pipe ? 0 : header.data_offset,
             pipe ? 0 : header.data_size, pipe ? 0 : header.feature_offset);
  // linux-perf prints the features of a pipe as they arrive, below the frame.
  if (!pipe) {
    print_features(page, full);
    print_missing(page);
  }
  out.append("# ========\n#\n");
  if (pipe) print_features(page, full);
}

}  // namespace peregrine
