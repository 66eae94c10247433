// Codecs of the feature sections: bytes ↔ values, one file per format in this folder. The table is in codec_table.cc.
//
// A decoder gets the section and adds its value to Features; it returns false and adds nothing if the section is
// invalid. An encoder appends the section; it returns false if there is no such value. Strings: u32 length, padded
// with NULs to a multiple of 64. Formats: docs/perf-data.md, "Features".
#pragma once
#include <span>

#include "data/header.h"

namespace peregrine::data {

struct FeatureCodec {
  FeatureId id;
  std::string_view name;
  bool (*decode)(ByteReader& in, Features& features);
  bool (*encode)(const Features& features, ByteWriter& out);
};

// Sorted by id.
std::span<const FeatureCodec> feature_codecs();

std::string get_string(ByteReader& in);
void put_string(ByteWriter& out, std::string_view text);
// Takes a u32 count. Sets ok() to false if the section is too short for that many elements of at least `least` bytes.
u32 get_count(ByteReader& in, std::size_t least);

// Declares the two functions of a format.
#define PEREGRINE_CODEC(name)                             \
  bool decode_##name(ByteReader& in, Features& features); \
  bool encode_##name(const Features& features, ByteWriter& out)
PEREGRINE_CODEC(tracing_data);
PEREGRINE_CODEC(build_ids);
PEREGRINE_CODEC(nr_cpus);
PEREGRINE_CODEC(total_memory);
PEREGRINE_CODEC(cmdline);
PEREGRINE_CODEC(event_desc);
PEREGRINE_CODEC(cpu_topology);
PEREGRINE_CODEC(numa_topology);
PEREGRINE_CODEC(pmu_mappings);
PEREGRINE_CODEC(group_desc);
PEREGRINE_CODEC(auxtrace);
PEREGRINE_CODEC(cache);
PEREGRINE_CODEC(sample_time);
PEREGRINE_CODEC(memory_topology);
PEREGRINE_CODEC(clockid);
PEREGRINE_CODEC(dir_format);
PEREGRINE_CODEC(bpf_programs);
PEREGRINE_CODEC(bpf_types);
PEREGRINE_CODEC(compression);
PEREGRINE_CODEC(cpu_pmu_caps);
PEREGRINE_CODEC(clock_data);
PEREGRINE_CODEC(hybrid_topology);
PEREGRINE_CODEC(pmu_caps);
PEREGRINE_CODEC(scheduling_domains);
PEREGRINE_CODEC(elf_machine);
PEREGRINE_CODEC(cacheline_size);
#undef PEREGRINE_CODEC

}  // namespace peregrine::data
