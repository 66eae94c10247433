#include "sys/hardware/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/container/sort_unique.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::string_view kCpus = "/sys/devices/system/cpu";

CpuList listed(const Root& root, std::string_view name) {
  const auto text = root.line(fmt::format("{}/{}", kCpus, name));
  if (!text || trim(*text).empty()) return {};
  return parse_cpu_list(trim(*text)).value_or(CpuList{});
}

void add_distinct(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::optional<std::string> topology_line(const Root& root, int cpu, std::string_view name) {
  return root.line(fmt::format("{}/cpu{}/topology/{}", kCpus, cpu, name));
}

int topology_number(const Root& root, int cpu, std::string_view name) {
  return static_cast<int>(root.number(fmt::format("{}/cpu{}/topology/{}", kCpus, cpu, name)).value_or(-1));
}

int highest(const CpuList& cpus) { return cpus.empty() ? -1 : cpus.back(); }

// Returns the value of the first "key : value" line.
std::string cpuinfo_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key)
      return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

std::optional<CpuCache> read_cache(const Root& root, const std::string& index) {
  const auto level = root.number(index + "/level");
  if (!level) return std::nullopt;
  const auto number = [&](const char* name) { return static_cast<u32>(root.number(index + name).value_or(0)); };
  const auto text = [&](const char* name) { return std::string(trim(root.line(index + name).value_or(""))); };
  return CpuCache{static_cast<u32>(*level),
                  number("/coherency_line_size"),
                  number("/number_of_sets"),
                  number("/ways_of_associativity"),
                  text("/type"),
                  text("/size"),
                  text("/shared_cpu_list")};
}

}  // namespace

Result<CpuList> parse_cpu_list(std::string_view text) {
  // Count before allocating, because a few bytes can denote millions of CPUs.
  std::vector<std::pair<u64, u64>> ranges;
  u64 count = 0;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto part = trim(text.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    const auto dash = part.find('-');
    const auto first = to_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > kHighestCpu)
      return fail(ErrorKind::Usage, "invalid CPU list: '{}'", part);
    count += *last - *first + 1;
    if (count > kHighestCpu + 1)
      return fail(ErrorKind::Usage, "invalid CPU list: more than {} numbers", kHighestCpu + 1);
    ranges.emplace_back(*first, *last);
  }
  CpuList cpus;
  cpus.reserve(count);
  for (const auto& [first, last] : ranges)
    for (u64 cpu = first; cpu <= last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  sort_unique(cpus);
  return cpus;
}

std::string format_cpu_list(const CpuList& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

// Without /sys (a chroot, a container), /proc/stat has a line for each online CPU.
CpuList online_cpus(const Root& root) {
  CpuList cpus = listed(root, "online");
  if (!cpus.empty()) return cpus;
  const auto text = root.read("/proc/stat");
  for (std::string_view rest = text ? std::string_view(*text) : std::string_view(); rest.starts_with("cpu");) {
    std::string_view line = rest.substr(3, rest.find('\n') - 3);
    if (const auto cpu = take_number<int>(line)) cpus.push_back(*cpu);
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  return cpus;
}
CpuList possible_cpus(const Root& root) { return listed(root, "possible"); }
CpuList present_cpus(const Root& root) { return listed(root, "present"); }

CpuTopology cpu_topology(const Root& root) {
  CpuTopology topology;
  const bool has_dies = root.exists(fmt::format("{}/cpu0/topology/die_cpus_list", kCpus));
  for (const int cpu : online_cpus(root)) {
    auto package = topology_line(root, cpu, "package_cpus_list");
    if (!package) package = topology_line(root, cpu, "core_siblings_list");  // before 5.3
    if (package) add_distinct(topology.package_siblings, *package);
    if (has_dies) {
      if (auto die = topology_line(root, cpu, "die_cpus_list")) add_distinct(topology.die_siblings, *die);
    }
    auto core = topology_line(root, cpu, "core_cpus_list");
    if (!core) core = topology_line(root, cpu, "thread_siblings_list");  // before 5.3
    if (core) add_distinct(topology.core_siblings, *core);
  }
  const int last = highest(present_cpus(root));
  for (int cpu = 0; cpu <= last; ++cpu)
    topology.places.push_back({topology_number(root, cpu, "core_id"), topology_number(root, cpu, "physical_package_id"),
                               topology_number(root, cpu, "die_id"), topology_number(root, cpu, "cluster_id")});
  return topology;
}

std::vector<CpuCache> cpu_caches(const Root& root) {
  std::vector<CpuCache> found;
  const auto same = [](const CpuCache& a, const CpuCache& b) {
    return a.level == b.level && a.line_size == b.line_size && a.sets == b.sets && a.ways == b.ways &&
           a.type == b.type && a.size == b.size && a.map == b.map;
  };
  for (const int cpu : present_cpus(root)) {
    for (int index = 0; index < 10; ++index) {
      auto cache = read_cache(root, fmt::format("{}/cpu{}/cache/index{}", kCpus, cpu, index));
      if (!cache) break;
      const bool known = std::any_of(found.begin(), found.end(), [&](const CpuCache& c) { return same(c, *cache); });
      if (known) continue;
      const auto after = std::upper_bound(found.begin(), found.end(), cache->level,
                                          [](u32 level, const CpuCache& c) { return level < c.level; });
      found.insert(after, std::move(*cache));
    }
  }
  return found;
}

std::string cpu_description(const Root& root) {
  const auto text = root.read("/proc/cpuinfo");
  if (!text) return {};
  // Keys by architecture: x86 and arm; mips and alpha; powerpc; old arm and arc; loongarch.
  std::string raw;
  for (const char* key : {"model name", "cpu model", "cpu", "Processor", "Model Name"}) {
    raw = cpuinfo_value(*text, key);
    if (!raw.empty()) break;
  }
  std::string squeezed;
  for (const char c : raw)
    if (c != ' ' || squeezed.empty() || squeezed.back() != ' ') squeezed += c;
  return squeezed;
}

CpuIdentity cpu_identity(const Root& root) {
  const auto text = root.read("/proc/cpuinfo");
  if (!text) return {};
  const auto number = [&](const char* key) {
    return static_cast<unsigned>(to_number(cpuinfo_value(*text, key)).value_or(0));
  };
  return {cpuinfo_value(*text, "vendor_id"), number("cpu family"), number("model"), number("stepping")};
}

std::string cpuid_text(const CpuIdentity& id) {
  if (id.vendor.empty()) return {};
  return fmt::format("{},{},{},{}", id.vendor, id.family, id.model, id.stepping);
}

std::string cpuid_pmu_text(const CpuIdentity& id) {
  if (id.vendor.empty()) return {};
  return fmt::format("{}-{}-{:X}-{:X}", id.vendor, id.family, id.model, id.stepping);
}

}  // namespace peregrine
