// Features: the values of the feature sections of a perf.data header, decoded. An empty optional: the section is
// absent.
//
// Passive data; the codecs in this folder decode and encode it. Strings are unchanged from the recording.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/build_id.h"
#include "base/types.h"

namespace peregrine::data {

struct BuildIdEntry {
  u16 misc = 0;  // cpumode: kernel, user, guest…
  i32 pid = -1;
  BuildId id;
  bool sized = true;  // the entry gave the size of its id (since 5.10)
  std::string name;
};

struct CpuCount {
  u32 available = 0, online = 0;
};

struct EventDescription {
  abi::EventAttr attr;
  std::string name;
  std::vector<u64> ids;
};

struct CpuTopology {
  std::vector<std::string> core_siblings, thread_siblings, die_siblings;  // cpu lists such as "0-1"
  struct Place {
    i32 core = -1, socket = -1, die = -1;
  };
  std::vector<Place> cpus;  // one per available CPU; empty if not recorded
  bool has_dies = false;
};

struct NumaNode {
  u32 id = 0;
  u64 total_kb = 0, free_kb = 0;
  std::string cpus;
};

struct PmuType {
  u32 type = 0;
  std::string name;
};

struct GroupDescription {
  std::string name;
  u32 leader = 0;  // index of the leader among the events
  u32 members = 0;
};

struct AuxtraceIndexEntry {
  u64 offset = 0, size = 0;
};

struct CacheLevel {
  u32 level = 0, line_size = 0, sets = 0, ways = 0;
  std::string type, size, cpus;
};

struct SampleTimes {
  u64 first = 0, last = 0;  // ns
};

struct MemoryTopology {
  u64 version = 1, block_size = 0;
  struct Node {
    u64 id = 0, bits = 0;
    std::vector<u64> set;  // one bit per block
  };
  std::vector<Node> nodes;
};

struct CompressionParameters {
  u32 version = 1, type = 1, level = 0, ratio = 0, mmap_length = 0;  // type 1: zstd
};

struct ClockData {
  u32 version = 1;
  u32 clockid = 0;
  u64 wall_clock_ns = 0, clock_ns = 0;
};

struct HybridPmu {
  std::string name, cpus;
};

struct PmuCapabilities {
  std::string pmu;
  std::vector<std::pair<std::string, std::string>> pairs;
};

// The scheduling domains of one CPU, as /proc/schedstat lists them.
struct CpuDomains {
  u32 cpu = 0;
  struct Domain {
    u32 number = 0;
    std::string name;  // since schedstat version 17
    std::string mask, cpus;
  };
  std::vector<Domain> domains;
};

struct SchedulingDomains {
  u32 schedstat_version = 0, most_domains = 0;
  std::vector<CpuDomains> cpus;
};

struct ElfMachine {
  u32 machine = 0, flags = 0;  // e_machine and e_flags of programs on the recorded machine
};

struct BpfProgram {
  std::vector<std::byte> bytes;  // one entry of BPF_PROG_INFO after its length fields, unchanged
  u32 info_length = 0, data_length = 0;
  u64 arrays = 0;
  u32 id = 0;
  u32 btf_id = 0;
  std::vector<u64> addresses;  // of its functions in kernel memory
  std::vector<u32> sizes;      // of those functions, in bytes
  std::vector<u64> tags;       // of those functions: eight bytes read as big-endian
  std::vector<u32> types;      // of those functions, ids in the program's BTF
  std::string name;
};

struct BpfTypes {
  u32 id = 0;
  std::vector<std::byte> bytes;
};

struct Features {
  std::optional<std::vector<std::byte>> tracing_data;  // `event` decodes it
  std::optional<std::vector<BuildIdEntry>> build_ids;
  std::optional<std::string> hostname, os_release, version, arch, cpu_desc, cpuid;
  std::optional<CpuCount> cpus;
  std::optional<u64> total_memory_kb;
  std::optional<std::vector<std::string>> cmdline;
  std::optional<std::vector<EventDescription>> event_desc;
  std::optional<CpuTopology> cpu_topology;
  std::optional<std::vector<NumaNode>> numa_topology;
  bool branch_stack = false, stat = false;
  std::optional<std::vector<PmuType>> pmu_mappings;
  std::optional<std::vector<GroupDescription>> groups;
  std::optional<std::vector<AuxtraceIndexEntry>> auxtrace;
  std::optional<std::vector<CacheLevel>> caches;
  std::optional<SampleTimes> sample_times;
  std::optional<MemoryTopology> memory_topology;
  std::optional<u64> clock_resolution_ns;  // feature CLOCKID: clock_getres(2) of record's -k clock
  std::optional<u64> dir_version;
  std::optional<std::vector<BpfProgram>> bpf_programs;
  std::optional<std::vector<BpfTypes>> bpf_types;
  std::optional<CompressionParameters> compression;
  std::optional<std::vector<std::pair<std::string, std::string>>> cpu_pmu_caps;
  std::optional<ClockData> clock_data;
  std::optional<std::vector<HybridPmu>> hybrid_topology;
  std::optional<std::vector<PmuCapabilities>> pmu_caps;
  std::optional<SchedulingDomains> scheduling_domains;
  std::optional<ElfMachine> elf_machine;
  std::optional<u32> cacheline_size;
};

}  // namespace peregrine::data
