// CPUs: the kernel's lists ("0-3,8"), siblings and caches, from /sys/devices/system/cpu.
//
// Lists are sorted and without duplicates. The topology answers are the ones that linux-perf writes into a recording's
// header, text included, so that its readers print the same.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sys/root.h"

namespace peregrine {

using CpuList = std::vector<int>;

// No machine has a CPU of a higher number: the largest kernels are built for 8192 CPUs, and a record's list of CPUs has
// 16 bits for each. What a recording or a command line says beyond it is a mistake, or is there to exhaust memory:
// tables are indexed by CPU.
inline constexpr u32 kHighestCpu = 65'535;

// "0-3,8" → {0,1,2,3,8}. Errors (Usage): an empty part, a falling range, a number above kHighestCpu, more than
// kHighestCpu + 1 numbers in total, repeated ones included.
Result<CpuList> parse_cpu_list(std::string_view text);
// {0,1,2,3,8} → "0-3,8".
std::string format_cpu_list(const CpuList& cpus);

CpuList online_cpus(const Root& root);
CpuList possible_cpus(const Root& root);
CpuList present_cpus(const Root& root);

// Where one CPU sits; -1 where the kernel does not say.
struct CpuPlace {
  int core = -1, socket = -1, die = -1, cluster = -1;
};

struct CpuTopology {
  // Distinct sibling lists as the kernel spells them ("0-1"), in order of first appearance over the CPUs.
  std::vector<std::string> package_siblings;  // same socket
  std::vector<std::string> die_siblings;      // same die; empty where the kernel gives no die_cpus_list
  std::vector<std::string> core_siblings;     // same core: hardware threads
  std::vector<CpuPlace> places;               // by CPU number, up to the highest present CPU
};
CpuTopology cpu_topology(const Root& root);

struct CpuCache {
  u32 level = 0;
  u32 line_size = 0;  // bytes
  u32 sets = 0;
  u32 ways = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  std::string size;  // as the kernel spells it: "48K"
  std::string map;   // CPUs that share it: "0-1"
};
// Distinct caches of all present CPUs, sorted by level, then as first met.
std::vector<CpuCache> cpu_caches(const Root& root);

// /proc/cpuinfo: "model name" as linux-perf prints it (runs of blanks become one), "" when unknown.
std::string cpu_description(const Root& root);

// Vendor, family, model, stepping of the first CPU; zeroes when /proc/cpuinfo does not say.
struct CpuIdentity {
  std::string vendor;
  unsigned family = 0, model = 0, stepping = 0;
};
CpuIdentity cpu_identity(const Root& root);
std::string cpuid_text(const CpuIdentity& identity);      // "GenuineIntel,6,167,1": header feature CPUID
std::string cpuid_pmu_text(const CpuIdentity& identity);  // "GenuineIntel-6-A7-1": the key of vendor event tables

}  // namespace peregrine
