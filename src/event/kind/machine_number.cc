#include "event/kind/machine_number.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/types.h"
#include "sys/hardware/pmu.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr MachineNumber kMachineNumbers[] = {
    {"core_wide", "1 when all hardware threads of each counted core are counted"},
    {"has_pmem", "1 when the firmware describes persistent memory"},
    {"num_cores", "processor cores"},
    {"num_cpus", "installed CPUs"},
    {"num_cpus_online", "online CPUs"},
    {"num_dies", "processor dies"},
    {"num_packages", "processor packages (sockets)"},
    {"slots", "issue slots in each cycle, on Arm"},
    {"smt_on", "1 when several hardware threads share a core"},
    {"system_tsc_freq", "nominal frequency of the time stamp counter, in Hz"},
    {"target_cpu", "1 when counting selected CPUs (-C)"},
};

bool hardware_threads_share_cores(const Root& root) {
  if (const auto active = root.number("/sys/devices/system/cpu/smt/active")) return *active != 0;
  const CpuTopology topology = cpu_topology(root);
  return std::ranges::any_of(topology.core_siblings, [](const std::string& list) {
    return parse_cpu_list(list).value_or(CpuList{}).size() > 1;
  });
}

// True if each core is counted either with all of its threads or not at all.
bool counts_whole_cores(const Root& root, const CountedCpus& counted) {
  if (!counted.system_wide) return false;
  if (counted.chosen.empty() || !hardware_threads_share_cores(root)) return true;
  const CpuTopology topology = cpu_topology(root);
  return std::ranges::all_of(topology.core_siblings, [&](const std::string& list) {
    const CpuList threads = parse_cpu_list(list).value_or(CpuList{});
    const auto chosen = [&](int cpu) { return std::ranges::find(counted.chosen, cpu) != counted.chosen.end(); };
    return std::ranges::all_of(threads, chosen) || std::ranges::none_of(threads, chosen);
  });
}

// The nominal frequency of the time stamp counter, which x86 kernels do not export: from a driver that adds
// tsc_freq_khz, from the processor's name ("… @ 2.10GHz"), or else the base frequency.
std::optional<double> tsc_frequency(const Root& root) {
  if (const auto khz = root.number("/sys/devices/system/cpu/cpu0/tsc_freq_khz")) return 1e3 * static_cast<double>(*khz);
  const std::string model = cpu_description(root);
  if (const std::size_t at = model.rfind("@ "); at != std::string::npos) {
    std::string_view unit = std::string_view(model).substr(at + 2);
    const auto number = take_number<double>(unit);
    if (number && unit.starts_with("GHz")) return *number * 1e9;
    if (number && unit.starts_with("MHz")) return *number * 1e6;
  }
  if (const auto khz = root.number("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency"))
    return 1e3 * static_cast<double>(*khz);
  return std::nullopt;
}

std::optional<double> slots_per_cycle(EventSources& sources) {
  for (const Pmu& pmu : sources.pmus())
    for (const auto& [name, text] : pmu.caps)
      if (name == "slots") {
        std::string_view digits = text;
        if (digits.starts_with("0x")) digits.remove_prefix(2);
        if (const auto slots = take_number<u64>(digits, 16)) return static_cast<double>(*slots);
      }
  return std::nullopt;
}

double count(std::size_t number) { return static_cast<double>(number); }

}  // namespace

std::span<const MachineNumber> machine_numbers() { return kMachineNumbers; }

// Ignores case: linux-perf's files contain "#SMT_on".
std::optional<double> machine_number(EventSources& sources, const CountedCpus& counted, std::string_view spelled) {
  const std::string name = lower_case(spelled);
  const Root& root = sources.root();
  if (name == "smt_on") return hardware_threads_share_cores(root) ? 1 : 0;
  if (name == "core_wide") return counts_whole_cores(root, counted) ? 1 : 0;
  if (name == "num_cpus") return count(present_cpus(root).size());
  if (name == "num_cpus_online") return count(online_cpus(root).size());
  if (name == "num_cores") return count(cpu_topology(root).core_siblings.size());
  if (name == "num_dies") return count(cpu_topology(root).die_siblings.size());
  if (name == "num_packages") return count(cpu_topology(root).package_siblings.size());
  if (name == "slots") return slots_per_cycle(sources);
  if (name == "system_tsc_freq") return tsc_frequency(root);
  if (name == "has_pmem") return root.exists("/sys/firmware/acpi/tables/NFIT") ? 1 : 0;
  if (name == "target_cpu") return counted.system_wide && !counted.chosen.empty() ? 1 : 0;
  return std::nullopt;
}

}  // namespace peregrine
