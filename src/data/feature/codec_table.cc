#include <array>

#include "data/feature/codec.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kNameAlign = 64;

template <std::optional<std::string> Features::* kMember>
bool decode_text(ByteReader& in, Features& features) {
  std::string text = get_string(in);
  if (!in.ok()) return false;
  features.*kMember = std::move(text);
  return true;
}
template <std::optional<std::string> Features::* kMember>
bool encode_text(const Features& features, ByteWriter& out) {
  if (!(features.*kMember)) return false;
  put_string(out, *(features.*kMember));
  return true;
}

// Features without data: only their presence matters.
template <bool Features::* kMember>
bool decode_flag(ByteReader&, Features& features) {
  return features.*kMember = true;
}
template <bool Features::* kMember>
bool encode_flag(const Features& features, ByteWriter&) {
  return features.*kMember;
}

#define PEREGRINE_TEXT(member) decode_text<&Features::member>, encode_text<&Features::member>
#define PEREGRINE_FLAG(member) decode_flag<&Features::member>, encode_flag<&Features::member>
#define PEREGRINE_PAIR(name) decode_##name, encode_##name
constexpr std::array kTable = {
    FeatureCodec{FeatureId::TracingData, "TRACING_DATA", PEREGRINE_PAIR(tracing_data)},
    FeatureCodec{FeatureId::BuildId, "BUILD_ID", PEREGRINE_PAIR(build_ids)},
    FeatureCodec{FeatureId::Hostname, "HOSTNAME", PEREGRINE_TEXT(hostname)},
    FeatureCodec{FeatureId::OsRelease, "OSRELEASE", PEREGRINE_TEXT(os_release)},
    FeatureCodec{FeatureId::Version, "VERSION", PEREGRINE_TEXT(version)},
    FeatureCodec{FeatureId::Arch, "ARCH", PEREGRINE_TEXT(arch)},
    FeatureCodec{FeatureId::NrCpus, "NRCPUS", PEREGRINE_PAIR(nr_cpus)},
    FeatureCodec{FeatureId::CpuDesc, "CPUDESC", PEREGRINE_TEXT(cpu_desc)},
    FeatureCodec{FeatureId::CpuId, "CPUID", PEREGRINE_TEXT(cpuid)},
    FeatureCodec{FeatureId::TotalMem, "TOTAL_MEM", PEREGRINE_PAIR(total_memory)},
    FeatureCodec{FeatureId::Cmdline, "CMDLINE", PEREGRINE_PAIR(cmdline)},
    FeatureCodec{FeatureId::EventDesc, "EVENT_DESC", PEREGRINE_PAIR(event_desc)},
    FeatureCodec{FeatureId::CpuTopology, "CPU_TOPOLOGY", PEREGRINE_PAIR(cpu_topology)},
    FeatureCodec{FeatureId::NumaTopology, "NUMA_TOPOLOGY", PEREGRINE_PAIR(numa_topology)},
    FeatureCodec{FeatureId::BranchStack, "BRANCH_STACK", PEREGRINE_FLAG(branch_stack)},
    FeatureCodec{FeatureId::PmuMappings, "PMU_MAPPINGS", PEREGRINE_PAIR(pmu_mappings)},
    FeatureCodec{FeatureId::GroupDesc, "GROUP_DESC", PEREGRINE_PAIR(group_desc)},
    FeatureCodec{FeatureId::Auxtrace, "AUXTRACE", PEREGRINE_PAIR(auxtrace)},
    FeatureCodec{FeatureId::Stat, "STAT", PEREGRINE_FLAG(stat)},
    FeatureCodec{FeatureId::Cache, "CACHE", PEREGRINE_PAIR(cache)},
    FeatureCodec{FeatureId::SampleTime, "SAMPLE_TIME", PEREGRINE_PAIR(sample_time)},
    FeatureCodec{FeatureId::MemTopology, "MEM_TOPOLOGY", PEREGRINE_PAIR(memory_topology)},
    FeatureCodec{FeatureId::ClockId, "CLOCKID", PEREGRINE_PAIR(clockid)},
    FeatureCodec{FeatureId::DirFormat, "DIR_FORMAT", PEREGRINE_PAIR(dir_format)},
    FeatureCodec{FeatureId::BpfProgInfo, "BPF_PROG_INFO", PEREGRINE_PAIR(bpf_programs)},
    FeatureCodec{FeatureId::BpfBtf, "BPF_BTF", PEREGRINE_PAIR(bpf_types)},
    FeatureCodec{FeatureId::Compressed, "COMPRESSED", PEREGRINE_PAIR(compression)},
    FeatureCodec{FeatureId::CpuPmuCaps, "CPU_PMU_CAPS", PEREGRINE_PAIR(cpu_pmu_caps)},
    FeatureCodec{FeatureId::ClockData, "CLOCK_DATA", PEREGRINE_PAIR(clock_data)},
    FeatureCodec{FeatureId::HybridTopology, "HYBRID_TOPOLOGY", PEREGRINE_PAIR(hybrid_topology)},
    FeatureCodec{FeatureId::PmuCaps, "PMU_CAPS", PEREGRINE_PAIR(pmu_caps)},
    FeatureCodec{FeatureId::CpuDomainInfo, "CPU_DOMAIN_INFO", PEREGRINE_PAIR(scheduling_domains)},
    FeatureCodec{FeatureId::EMachine, "E_MACHINE", PEREGRINE_PAIR(elf_machine)},
    FeatureCodec{FeatureId::ClnSize, "CLN_SIZE", PEREGRINE_PAIR(cacheline_size)},
};
#undef PEREGRINE_TEXT
#undef PEREGRINE_FLAG
#undef PEREGRINE_PAIR

const FeatureCodec* find_codec(u32 id) {
  for (const FeatureCodec& codec : kTable) {
    if (static_cast<u32>(codec.id) == id) return &codec;
  }
  return nullptr;
}

}  // namespace

std::span<const FeatureCodec> feature_codecs() { return kTable; }

std::string get_string(ByteReader& in) {
  const u32 size = in.get32();
  return std::string(in.text(size));
}

void put_string(ByteWriter& out, std::string_view text) {
  const std::size_t size = (text.size() + 1 + kNameAlign - 1) / kNameAlign * kNameAlign;
  out.put32(static_cast<u32>(size)).append(text).zeros(size - text.size());
}

u32 get_count(ByteReader& in, std::size_t least) {
  const u32 count = in.get32();
  if (least != 0 && count > in.left() / least) in.skip(in.left() + 1);
  return in.ok() ? count : 0;
}

std::string_view feature_name(u32 id) {
  const FeatureCodec* codec = find_codec(id);
  return codec != nullptr ? codec->name : std::string_view();
}

bool decode_feature(u32 id, Bytes bytes, ByteOrder order, Features& features) {
  const FeatureCodec* codec = find_codec(id);
  ByteReader in(bytes, order);
  return codec != nullptr && codec->decode(in, features);
}

std::optional<std::vector<std::byte>> encode_feature(u32 id, const Features& features, ByteOrder order) {
  const FeatureCodec* codec = find_codec(id);
  ByteWriter out(order);
  if (codec == nullptr || !codec->encode(features, out)) return std::nullopt;
  return out.take();
}

bool Header::has(FeatureId id) const {
  for (const u32 other : present) {
    if (other == static_cast<u32>(id)) return true;
  }
  return false;
}

}  // namespace peregrine::data
