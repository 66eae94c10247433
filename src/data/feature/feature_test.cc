#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/bpf/bpf_symbol.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/feature/host/node_cpus.h"
#include "data/feature/host/node_memory.h"
#include "data/header/pipe_records.h"
#include "support/byte_buffer.h"
#include "sys/hardware/cpu.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
using support::Endian;

// A name padded with zeros to `size` bytes; strings in the header are 64 bytes, preceded by their length.
ByteBuffer& padded(ByteBuffer& out, std::string_view value, std::size_t size) {
  return out.text(value).zeros(size - value.size());
}
ByteBuffer& text(ByteBuffer& out, std::string_view value) { return padded(out.put32(64), value, 64); }

// The bytes of one section in each format, as recorders write them.
std::map<FeatureId, ByteBuffer> sections(Endian endian) {
  std::map<FeatureId, ByteBuffer> all;
  const auto of = [&](FeatureId id) -> ByteBuffer& { return all.emplace(id, ByteBuffer(endian)).first->second; };
  of(FeatureId::TracingData).text("blob");
  ByteBuffer& build_id = of(FeatureId::BuildId).put32(0).put16(1 | 1 << 15).put16(36 + 64).put32(~0u);
  padded(build_id.text("ABCDEFGHIJKLMNOPQRST").put(20, 1).zeros(3), "[kernel.kallsyms]", 64);
  for (const FeatureId id : {FeatureId::Hostname, FeatureId::OsRelease, FeatureId::Version, FeatureId::Arch,
                             FeatureId::CpuDesc, FeatureId::CpuId})
    text(of(id), "host");
  of(FeatureId::NrCpus).put32(2).put32(1);
  of(FeatureId::TotalMem).put64(1024);
  text(text(of(FeatureId::Cmdline).put32(2), "perf"), "record");
  ByteBuffer& event = of(FeatureId::EventDesc).put32(1).put32(128).put32(1).put32(128).zeros(120).put32(1);
  text(event, "cpu-clock").put64(7);
  ByteBuffer& cpus = text(text(of(FeatureId::CpuTopology).put32(1), "0-1").put32(2), "0");
  text(text(cpus, "1").put32(0).put32(0).put32(1).put32(0).put32(1), "0-1").put32(0).put32(0);
  text(of(FeatureId::NumaTopology).put32(1).put32(0).put64(100).put64(50), "0-1");
  of(FeatureId::BranchStack);
  text(of(FeatureId::PmuMappings).put32(1).put32(1), "software");
  text(of(FeatureId::GroupDesc).put32(1), "{anon_group}").put32(0).put32(2);
  of(FeatureId::Auxtrace).put64(1).put64(4096).put64(64);
  of(FeatureId::Stat);
  text(text(text(of(FeatureId::Cache).put32(1).put32(1).put32(1).put32(64).put32(64).put32(8), "Data"), "32K"), "0");
  of(FeatureId::SampleTime).put64(10).put64(20);
  of(FeatureId::MemTopology).put64(1).put64(1 << 27).put64(1).put64(0).put64(70).put64(70).put64(~0ull).put64(0x3f);
  of(FeatureId::ClockId).put64(1);
  of(FeatureId::DirFormat).put64(1);
  of(FeatureId::BpfProgInfo).put32(1).put32(8).put32(8).put64(0).put32(6).put32(33).put64(99);
  of(FeatureId::BpfBtf).put32(1).put32(5).put32(3).text("btf");
  of(FeatureId::Compressed).put32(1).put32(1).put32(3).put32(20).put32(528384);
  text(text(of(FeatureId::CpuPmuCaps).put32(1), "max_precise"), "3");
  of(FeatureId::ClockData).put32(1).put32(4).put64(1000).put64(10);
  text(text(of(FeatureId::HybridTopology).put32(1), "cpu_core"), "0-7");
  text(text(text(of(FeatureId::PmuCaps).put32(1).put32(1), "branches"), "32"), "cpu_core");
  ByteBuffer& domains = of(FeatureId::CpuDomainInfo).put32(17).put32(1).put32(0).put32(1).put32(0);
  text(text(text(domains, "MC"), "3"), "0-1").put32(1).put32(0);
  of(FeatureId::EMachine).put32(62).put32(0);
  of(FeatureId::ClnSize).put32(64);
  return all;
}

// NRCPUS gives the number of CPUs in CPU_TOPOLOGY.
Features decoded(const std::map<FeatureId, ByteBuffer>& all, ByteOrder order) {
  Features features;
  for (const auto& [id, bytes] : all) {
    EXPECT_TRUE(decode_feature(static_cast<u32>(id), bytes.bytes(), order, features))
        << feature_name(static_cast<u32>(id));
  }
  return features;
}

TEST(Feature, EncodesToTheBytesItWasDecodedFrom) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const ByteOrder order = endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
    const auto all = sections(endian);
    const Features features = decoded(all, order);
    for (const auto& [id, bytes] : all) {
      const auto encoded = encode_feature(static_cast<u32>(id), features, order);
      ASSERT_TRUE(encoded) << feature_name(static_cast<u32>(id));
      EXPECT_EQ(*encoded, bytes.bytes()) << feature_name(static_cast<u32>(id));
    }
  }
}

TEST(Feature, EveryRowHasAnExample) {
  const auto examples = sections(Endian::Little);
  for (const FeatureRow& row : feature_table()) {
    EXPECT_TRUE(examples.contains(row.id)) << "add the bytes of a " << row.name << " section to sections() above";
  }
}

// A feature that no release has: two bytes, the size of a cache line.
constexpr FeatureRow kFakeFeature{static_cast<FeatureId>(200),
                                  "FAKE",
                                  [](ByteReader& in, Features& features) {
                                    const u16 size = in.get16();
                                    if (in.ok()) features.cacheline_size = size;
                                    return in.ok();
                                  },
                                  [](const Features& features, ByteWriter& out) {
                                    if (!features.cacheline_size) return false;
                                    out.put16(static_cast<u16>(*features.cacheline_size));
                                    return true;
                                  },
                                  FeatureSource::Nobody,
                                  feature_trait::OfTheLayout};

// A new feature only needs a row here: a section of a file in either byte order becomes the value, and the value
// becomes the same section again.
TEST(FeatureTable, DecodesAndEncodesAFakeFeature) {
  const std::span rows(&kFakeFeature, 1);
  EXPECT_EQ(feature_name(200, rows), "FAKE");
  EXPECT_TRUE(feature_has(200, feature_trait::OfTheLayout, rows));
  EXPECT_FALSE(feature_has(200, feature_trait::NotInPipe, rows));
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const ByteOrder order = endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
    const ByteBuffer section = ByteBuffer(endian).put16(128);
    Features features;
    ASSERT_TRUE(decode_feature(200, section.bytes(), order, features, rows));
    EXPECT_EQ(features.cacheline_size, 128u);
    EXPECT_EQ(encode_feature(200, features, order, rows), section.bytes());
  }
  Features none;
  EXPECT_FALSE(decode_feature(200, ByteBuffer().put(1, 1).bytes(), ByteOrder::Little, none, rows));
  EXPECT_FALSE(encode_feature(200, none, ByteOrder::Little, rows));
}

TEST(FeatureTable, CarriesAFakeFeatureThroughAPipe) {
  const std::span rows(&kFakeFeature, 1);
  Features sent, received;
  sent.cacheline_size = 64;
  ByteWriter pipe(ByteOrder::Big);
  put_header_feature(200, *encode_feature(200, sent, ByteOrder::Big, rows), pipe);
  ByteReader record(pipe.bytes(), ByteOrder::Big);
  record.skip(abi::kRecordHeaderSize);
  ASSERT_EQ(record.get64(), 200u);
  ASSERT_TRUE(decode_feature(200, record.rest(), ByteOrder::Big, received, rows));
  EXPECT_EQ(received.cacheline_size, 64u);
}

TEST(FeatureTable, DoesNotKnowNumbersWithoutARow) {
  EXPECT_EQ(find_feature(200), nullptr);
  EXPECT_EQ(feature_name(200), "");
  EXPECT_FALSE(feature_has(200, ~0u));
}

TEST(Feature, HasTheValuesThatItsBytesSay) {
  const Features f = decoded(sections(Endian::Big), ByteOrder::Big);
  EXPECT_EQ(f.build_ids->front().name, "[kernel.kallsyms]");
  EXPECT_EQ(f.build_ids->front().misc, 1u);
  EXPECT_EQ(f.hostname, "host");
  EXPECT_EQ(f.cpus->online, 1u);
  EXPECT_THAT(*f.cmdline, ::testing::ElementsAre("perf", "record"));
  EXPECT_EQ(f.event_desc->front().name, "cpu-clock");
  EXPECT_EQ(f.event_desc->front().ids.front(), 7u);
  EXPECT_EQ(f.cpu_topology->cpus[1].core, 1);
  EXPECT_THAT(f.cpu_topology->die_siblings, ::testing::ElementsAre("0-1"));
  EXPECT_EQ(f.numa_topology->front().free_kb, 50u);
  EXPECT_TRUE(f.branch_stack);
  EXPECT_EQ(f.groups->front().members, 2u);
  EXPECT_EQ(f.caches->front().size, "32K");
  EXPECT_EQ(f.memory_topology->nodes.front().set.size(), 2u);
  EXPECT_EQ(f.bpf_programs->front().id, 33u);
  EXPECT_EQ(f.compression->mmap_length, 528384u);
  EXPECT_EQ(f.clock_data->wall_clock_ns, 1000u);
  EXPECT_EQ(f.pmu_caps->front().pmu, "cpu_core");
}

ByteBuffer numa_section(u32 count, u32 first_id) {
  ByteBuffer section;
  section.put32(count);
  for (u32 i = 0; i < count; ++i) text(section.put32(first_id + i).put64(100).put64(50), "0");
  return section;
}

TEST(Feature, RejectsNumaNodesThatNoKernelHas) {
  const auto decodes = [](const ByteBuffer& section) {
    Features features;
    return decode_feature(static_cast<u32>(FeatureId::NumaTopology), section.bytes(), ByteOrder::Little, features);
  };
  EXPECT_TRUE(decodes(numa_section(1024, 0)));
  EXPECT_FALSE(decodes(numa_section(1025, 0)));
  EXPECT_FALSE(decodes(numa_section(1, 1024)));
  EXPECT_FALSE(decodes(numa_section(1, ~0u)));
}

TEST(NodeCpus, StopAtTheNumberOfCpusThatAMachineCanHave) {
  const auto sizes = [](const std::vector<std::string>& lists) {
    std::vector<NumaNode> nodes;
    for (const std::string& list : lists) nodes.push_back({.cpus = list});
    std::vector<std::size_t> sizes;
    for (const CpuList& cpus : cpus_of_nodes(nodes)) sizes.push_back(cpus.size());
    return sizes;
  };
  EXPECT_THAT(sizes({"0-3", "", "4-7"}), ::testing::ElementsAre(4, 0, 4));
  EXPECT_THAT(sizes({"0-65535", "0", "1"}), ::testing::ElementsAre(65536, 0, 0));
  EXPECT_THAT(sizes({"0-65535,0-65535", "1-2"}), ::testing::ElementsAre(0, 2));
}

TEST(NodeCpus, GiveTheNodeOfEachCpu) {
  EXPECT_THAT(nodes_of_cpus({{.id = 4, .cpus = "0,3"}, {.id = 2, .cpus = "1"}}, -1),
              ::testing::ElementsAre(4, 2, -1, 4));
  EXPECT_THAT(nodes_of_cpus({}, 0), ::testing::IsEmpty());
}

TEST(NodeMemory, FindsTheNodeThatHasTheBlock) {
  const MemoryTopology topology{
      .block_size = 0x1000, .nodes = {{.id = 3, .bits = 2, .set = {0b01}}, {.id = 5, .bits = 66, .set = {0b10, 1}}}};
  EXPECT_EQ(node_of_memory(topology, 0xfff), 3);
  EXPECT_EQ(node_of_memory(topology, 0x1000), 5);
  EXPECT_EQ(node_of_memory(topology, 64 * 0x1000), 5);
  EXPECT_EQ(node_of_memory(topology, 0x2000), -1);
  EXPECT_EQ(node_of_memory({}, 0x1000), -1);
}

// Wherever a section is truncated, it is rejected or partly decoded, but never read past its end.
TEST(Feature, SurvivesEveryCut) {
  for (const auto& [id, bytes] : sections(Endian::Little)) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const std::vector<std::byte> part(bytes.bytes().begin(),
                                        bytes.bytes().begin() + static_cast<std::ptrdiff_t>(size));
      Features features;
      features.cpus = CpuCount{2, 2};
      decode_feature(static_cast<u32>(id), part, ByteOrder::Little, features);
    }
  }
}

TEST(Feature, RefusesCountsThatCannotBe) {
  Features features;
  for (const FeatureId id :
       {FeatureId::Cmdline, FeatureId::NumaTopology, FeatureId::PmuMappings, FeatureId::GroupDesc,
        FeatureId::BpfProgInfo, FeatureId::BpfBtf, FeatureId::PmuCaps, FeatureId::HybridTopology}) {
    EXPECT_FALSE(decode_feature(static_cast<u32>(id), ByteBuffer().put32(0xffffffff).zeros(64).bytes(),
                                ByteOrder::Little, features));
  }
  EXPECT_FALSE(decode_feature(250, {}, ByteOrder::Little, features));
}

// Tables have one column per CPU.
TEST(Feature, RefusesMoreCpusThanThereCanBe) {
  const auto decodes = [](u32 available, u32 online) {
    Features features;
    const ByteBuffer bytes = ByteBuffer().put32(available).put32(online);
    const bool decoded =
        decode_feature(static_cast<u32>(FeatureId::NrCpus), bytes.bytes(), ByteOrder::Little, features);
    EXPECT_EQ(decoded, features.cpus.has_value());
    return decoded;
  };
  EXPECT_TRUE(decodes(65536, 65536));
  EXPECT_FALSE(decodes(65537, 1));
  EXPECT_FALSE(decodes(1, 0xffffffff));
}

// Before 2.6.35, entries had no pid; they are recognized because the kernel's name seems to lose its first four
// letters.
TEST(Feature, ReadsBuildIdsWithoutPid) {
  ByteBuffer bytes;
  bytes.put32(0).put16(1).put16(32 + 32).text("ABCDEFGHIJKLMNOPQRST").zeros(4);
  padded(bytes, "[kernel.kallsyms]", 32);
  Features features;
  ASSERT_TRUE(decode_feature(2, bytes.bytes(), ByteOrder::Little, features));
  ASSERT_EQ(features.build_ids->size(), 1u);
  EXPECT_EQ(features.build_ids->front().name, "[kernel.kallsyms]");
  EXPECT_EQ(features.build_ids->front().id.size, 20u);
}

// BTF: a header, an int, a function; strings "\0int\0entry\0".
TEST(Feature, NamesBpfFunctionsByTheirTypes) {
  ByteBuffer btf;
  btf.put16(0xeb9f).put(1, 1).put(0, 1).put32(24).put32(0).put32(28).put32(28).put32(11);
  btf.put32(1).put32(1u << 24).put32(4).put32(0).put32(5).put32(12u << 24).put32(0).text(
      std::string_view("\0int\0entry\0", 11));
  const std::vector<std::byte> bytes = btf.bytes();
  const BtfTypeNames types(bytes, ByteOrder::Little);
  EXPECT_EQ(types.name(0), "");
  EXPECT_EQ(types.name(1), "int");
  EXPECT_EQ(types.name(2), "entry");
  EXPECT_EQ(types.name(3), "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(BtfTypeNames(Bytes(bytes).first(size), ByteOrder::Little).name(2).size() % 5, 0u) << "entry, or nothing";
  BpfProgram program;
  program.tags = {0x0123456789abcdef};
  program.addresses = {1};
  program.types = {2};
  program.name = "short";
  EXPECT_EQ(bpf_symbol(program, 0, &types), "bpf_prog_0123456789abcdef_entry");
  EXPECT_EQ(bpf_symbol(program, 0, nullptr), "bpf_prog_0123456789abcdef_short");
}

}  // namespace
}  // namespace peregrine::data
