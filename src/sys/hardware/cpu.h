// CPUs: the kernel's lists ("0-3,8"), siblings and caches, from /sys/devices/system/cpu.
//
// Lists are sorted and without duplicates. The topology has the values that linux-perf writes into a recording's
// header, including the text, so that its readers print the same.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

using CpuList = std::vector<int>;

// The highest CPU number that a recording or a command line may use. The largest kernels are built for 8,192 CPUs, and
// a record's list of CPUs has 16 bits for each. Tables are indexed by CPU, so larger numbers would only exhaust
// memory.
inline constexpr u32 kHighestCpu = 65'535;

// Parses "0-3,8" into {0,1,2,3,8}. Errors (Usage): an empty part, a descending range, a number above kHighestCpu, more
// than kHighestCpu + 1 numbers in total, including repeated ones.
Result<CpuList> parse_cpu_list(std::string_view text);
// Formats {0,1,2,3,8} as "0-3,8".
std::string format_cpu_list(const CpuList& cpus);

CpuList online_cpus(const Root& root);
CpuList possible_cpus(const Root& root);
CpuList present_cpus(const Root& root);

// The location of a CPU; -1 if the kernel does not provide it.
struct CpuPlace {
  int core = -1, socket = -1, die = -1, cluster = -1;
};

struct CpuTopology {
  // Distinct sibling lists in the kernel's format ("0-1"), in the order of the CPUs that first have them.
  std::vector<std::string> package_siblings;  // same socket
  std::vector<std::string> die_siblings;      // same die; empty if the kernel has no die_cpus_list
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
  std::string size;  // in the kernel's format: "48K"
  std::string map;   // CPUs that share the cache: "0-1"
};
// Distinct caches of all present CPUs, sorted by level, then by first occurrence.
std::vector<CpuCache> cpu_caches(const Root& root);

// Returns the "model name" of /proc/cpuinfo as linux-perf prints it (runs of blanks become one), or "".
std::string cpu_description(const Root& root);

// Vendor, family, model and stepping of the first CPU; zeroes if /proc/cpuinfo lacks them.
struct CpuIdentity {
  std::string vendor;
  unsigned family = 0, model = 0, stepping = 0;
};
CpuIdentity cpu_identity(const Root& root);
std::string cpuid_text(const CpuIdentity& identity);      // "GenuineIntel,6,167,1": header feature CPUID
std::string cpuid_pmu_text(const CpuIdentity& identity);  // "GenuineIntel-6-A7-1": the key of vendor event tables

}  // namespace peregrine
