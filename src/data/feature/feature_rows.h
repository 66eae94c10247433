// The rows of the header features: everything known about a feature except its text. A new feature is one row
// here, and one in the table of its text (output/text/dump/feature_text.cc).
//
// ROW(enumerator, number, name, kind, value, source, traits)
//   number  bit of the feature in the header's bitmap, and its id in HEADER_FEATURE records; ascending
//   name    as linux-perf calls it in messages
//   kind    how its section becomes the member `value` of Features, and back:
//             TEXT  a string
//             WORD  a number, of the width of the member
//             FLAG  no data: only its presence matters
//             OWN   decode_VALUE() and encode_VALUE() in a file of this folder
//   source  who sets the value while recording (FeatureSource)
//   traits  what writers and rewriters must know (feature_trait), or 0
//
// A macro, because the enumerators, the declarations of the codecs and the table must all be made from one list.
#pragma once
#include "base/types.h"

// clang-format off
#define PEREGRINE_FEATURE_ROWS(ROW)                                                                       \
  ROW(TracingData, 1, "TRACING_DATA", OWN, tracing_data, Recording, NotInPipe | BeforeRecords)            \
  ROW(BuildId, 2, "BUILD_ID", OWN, build_ids, Recording, NotInPipe)                                       \
  ROW(Hostname, 3, "HOSTNAME", TEXT, hostname, Machine, 0)                                                \
  ROW(OsRelease, 4, "OSRELEASE", TEXT, os_release, Machine, 0)                                            \
  ROW(Version, 5, "VERSION", TEXT, version, Machine, 0)                                                   \
  ROW(Arch, 6, "ARCH", TEXT, arch, Machine, 0)                                                            \
  ROW(NrCpus, 7, "NRCPUS", OWN, nr_cpus, Machine, 0)                                                      \
  ROW(CpuDesc, 8, "CPUDESC", TEXT, cpu_desc, Machine, 0)                                                  \
  ROW(CpuId, 9, "CPUID", TEXT, cpuid, Machine, 0)                                                         \
  ROW(TotalMem, 10, "TOTAL_MEM", WORD, total_memory_kb, Machine, 0)                                       \
  ROW(Cmdline, 11, "CMDLINE", OWN, cmdline, Machine, EventNames)                                          \
  ROW(EventDesc, 12, "EVENT_DESC", OWN, event_desc, Recording, EventNames)                                \
  ROW(CpuTopology, 13, "CPU_TOPOLOGY", OWN, cpu_topology, Machine, 0)                                     \
  ROW(NumaTopology, 14, "NUMA_TOPOLOGY", OWN, numa_topology, Machine, 0)                                  \
  ROW(BranchStack, 15, "BRANCH_STACK", FLAG, branch_stack, Recording, NotInPipe)                          \
  ROW(PmuMappings, 16, "PMU_MAPPINGS", OWN, pmu_mappings, Machine, 0)                                     \
  ROW(GroupDesc, 17, "GROUP_DESC", OWN, group_desc, Recording, EventNames)                                \
  ROW(Auxtrace, 18, "AUXTRACE", OWN, auxtrace, Nobody, NotInPipe)                                         \
  ROW(Stat, 19, "STAT", FLAG, stat, Recording, NotInPipe)                                                 \
  ROW(Cache, 20, "CACHE", OWN, cache, Machine, NotInPipe)                                                 \
  ROW(SampleTime, 21, "SAMPLE_TIME", OWN, sample_time, Recording, 0)                                      \
  ROW(MemTopology, 22, "MEM_TOPOLOGY", OWN, memory_topology, Machine, 0)                                  \
  ROW(ClockId, 23, "CLOCKID", WORD, clock_resolution_ns, Machine, 0)                                      \
  ROW(DirFormat, 24, "DIR_FORMAT", WORD, dir_version, Recording, NotInPipe | BeforeRecords | OfTheLayout) \
  ROW(BpfProgInfo, 25, "BPF_PROG_INFO", OWN, bpf_programs, Machine, Addresses)                            \
  ROW(BpfBtf, 26, "BPF_BTF", OWN, bpf_types, Machine, 0)                                                  \
  ROW(Compressed, 27, "COMPRESSED", OWN, compression, Recording, BeforeRecords | OfTheLayout)             \
  ROW(CpuPmuCaps, 28, "CPU_PMU_CAPS", OWN, cpu_pmu_caps, Machine, 0)                                      \
  ROW(ClockData, 29, "CLOCK_DATA", OWN, clock_data, Machine, 0)                                           \
  ROW(HybridTopology, 30, "HYBRID_TOPOLOGY", OWN, hybrid_topology, Nobody, 0)                             \
  ROW(PmuCaps, 31, "PMU_CAPS", OWN, pmu_caps, Machine, 0)                                                 \
  ROW(CpuDomainInfo, 32, "CPU_DOMAIN_INFO", OWN, scheduling_domains, Recording, 0)                        \
  ROW(EMachine, 33, "E_MACHINE", OWN, elf_machine, Nobody, 0)                                             \
  ROW(ClnSize, 34, "CLN_SIZE", WORD, cacheline_size, Nobody, 0)
// clang-format on

namespace peregrine::data {

// HEADER_*: the bits of features in the header's bitmap, in the order of their sections.
enum class FeatureId : u32 {
#define PEREGRINE_ENUMERATOR(id, number, name, kind, value, source, traits) id = (number),
  PEREGRINE_FEATURE_ROWS(PEREGRINE_ENUMERATOR)
#undef PEREGRINE_ENUMERATOR
};
inline constexpr u32 kFeatureBits = 256;
// The last one that linux-perf 6.1 knows. It ignores later ones, and it ends a pipe's features with an empty record of
// the next number.
inline constexpr FeatureId kLastFeatureOf61 = FeatureId::PmuCaps;

enum class FeatureSource : u8 {
  Machine,    // a row of pipeline/recording/output/host_features.cc reads it when a recording begins or ends
  Recording,  // known to the code that writes the recording: its events, its times, its layout
  Nobody,     // only read, printed and copied
};

namespace feature_trait {
inline constexpr unsigned NotInPipe = 1;      // linux-perf sends no HEADER_FEATURE: a separate record, or nothing
inline constexpr unsigned BeforeRecords = 2;  // needed to read the records: written before them, so growing data cannot
                                              // overwrite it
inline constexpr unsigned OfTheLayout = 4;    // describes this file only: omitted from copies
inline constexpr unsigned EventNames = 8;     // may contain names of events, and so addresses of probes
inline constexpr unsigned Addresses = 16;     // contains kernel addresses: omitted from copies without addresses
}  // namespace feature_trait

}  // namespace peregrine::data
