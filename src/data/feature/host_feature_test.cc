// Features of the recorded machine: their sections as written by recorders of different ages, and invalid
// sections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/bpf/bpf_code.h"
#include "data/feature/codec.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool takes(FeatureId id, const ByteBuffer& section, Features& features) {
  return decode_feature(static_cast<u32>(id), section.bytes(), ByteOrder::Little, features);
}
bool takes(FeatureId id, const ByteBuffer& section) {
  Features features;
  return takes(id, section, features);
}
ByteBuffer& put_padded(ByteBuffer& out, std::string_view value) {
  return out.put32(64).text(value).zeros(64 - value.size());
}

// Strings in the header: u32 length, then that many bytes, with or without a NUL.
TEST(HeaderString, EndsAtItsNulOrItsLength) {
  const auto read = [](const ByteBuffer& bytes) {
    ByteReader in(bytes.bytes(), ByteOrder::Little);
    std::string text = get_string(in);
    return in.ok() && in.left() == 0 ? text : "invalid";
  };
  EXPECT_EQ(read(ByteBuffer().put32(0)), "");
  EXPECT_EQ(read(ByteBuffer().put32(3).text("abc")), "abc");
  EXPECT_EQ(read(ByteBuffer().put32(8).text("ab").zeros(6)), "ab");
  EXPECT_EQ(read(ByteBuffer().put32(4).text("abc")), "invalid");
  EXPECT_EQ(read(ByteBuffer().put16(4)), "invalid");
}

TEST(HeaderString, IsWrittenInBlocksOf64BytesWithANul) {
  const auto size_of = [](std::size_t length) {
    ByteWriter out(ByteOrder::Little);
    put_string(out, std::string(length, 'x'));
    EXPECT_EQ(load<u32>(out.bytes().data(), ByteOrder::Little), out.size() - 4);
    EXPECT_EQ(out.bytes()[4 + length], std::byte{0});
    return out.size();
  };
  EXPECT_EQ(size_of(0), 4 + 64u);
  EXPECT_EQ(size_of(63), 4 + 64u);
  EXPECT_EQ(size_of(64), 4 + 128u);
}

TEST(HeaderCount, MustFitTheSection) {
  const auto count = [](u32 said, std::size_t bytes) {
    const ByteBuffer section = ByteBuffer().put32(said).zeros(bytes);
    ByteReader in(section.bytes(), ByteOrder::Little);
    const u32 taken = get_count(in, 8);
    return in.ok() ? std::optional(taken) : std::nullopt;
  };
  EXPECT_EQ(count(0, 0), 0u);
  EXPECT_EQ(count(2, 16), 2u);
  EXPECT_EQ(count(2, 15), std::nullopt);
  EXPECT_EQ(count(0xffffffff, 16), std::nullopt);
}

// Since 3.19, each CPU has its core and socket, since 5.3 its die. Before that, there are only the two lists.
TEST(CpuTopologyFeature, GrewTwice) {
  ByteBuffer lists;
  put_padded(put_padded(lists.put32(1), "0-1").put32(2), "0");
  put_padded(lists, "1");
  const ByteBuffer places = ByteBuffer().put32(0).put32(0).put32(1).put32(0);
  ByteBuffer dies = ByteBuffer().put32(1);
  put_padded(dies, "0-1").put32(4).put32(5);

  const auto read = [](const ByteBuffer& section) {
    Features features;
    features.cpus = CpuCount{.available = 2, .online = 2};
    EXPECT_TRUE(takes(FeatureId::CpuTopology, section, features));
    return *features.cpu_topology;
  };
  const CpuTopology oldest = read(lists);
  EXPECT_THAT(oldest.core_siblings, ElementsAre("0-1"));
  EXPECT_THAT(oldest.thread_siblings, ElementsAre("0", "1"));
  EXPECT_THAT(oldest.cpus, IsEmpty());

  const CpuTopology middle = read(ByteBuffer(lists).append(places.bytes()));
  ASSERT_EQ(middle.cpus.size(), 2u);
  EXPECT_EQ(middle.cpus[1].core, 1);
  EXPECT_EQ(middle.cpus[1].die, -1);
  EXPECT_FALSE(middle.has_dies);

  const CpuTopology newest = read(ByteBuffer(lists).append(places.bytes()).append(dies.bytes()));
  EXPECT_TRUE(newest.has_dies);
  EXPECT_THAT(newest.die_siblings, ElementsAre("0-1"));
  EXPECT_EQ(newest.cpus[0].die, 4);
  EXPECT_EQ(newest.cpus[1].die, 5);
}

TEST(CpuTopologyFeature, HasNoPlacesWithoutTheNumberOfCpus) {
  Features features;
  const ByteBuffer section = ByteBuffer().put32(0).put32(0).put32(7).put32(1);
  ASSERT_TRUE(takes(FeatureId::CpuTopology, section, features));
  EXPECT_THAT(features.cpu_topology->cpus, IsEmpty());
  features.cpus = CpuCount{.available = 1, .online = 1};
  ASSERT_TRUE(takes(FeatureId::CpuTopology, section, features));
  ASSERT_EQ(features.cpu_topology->cpus.size(), 1u);
  EXPECT_EQ(features.cpu_topology->cpus[0].core, 7);
}

ByteBuffer memory_section(u64 version, u64 bits, u64 bits_again, std::size_t words) {
  ByteBuffer out = ByteBuffer().put64(version).put64(1 << 27).put64(1).put64(0).put64(bits).put64(bits_again);
  for (std::size_t i = 0; i < words; ++i) out.put64(~u64{0});
  return out;
}

TEST(MemoryTopologyFeature, HasAWordForEach64Blocks) {
  for (const auto& [bits, words] : {std::pair(u64{0}, 0u), std::pair(u64{1}, 1u), std::pair(u64{64}, 1u),
                                    std::pair(u64{65}, 2u), std::pair(u64{128}, 2u)}) {
    Features features;
    ASSERT_TRUE(takes(FeatureId::MemTopology, memory_section(1, bits, bits, words), features)) << bits;
    EXPECT_EQ(features.memory_topology->nodes.front().bits, bits);
    EXPECT_EQ(features.memory_topology->nodes.front().set.size(), words);
    EXPECT_EQ(encode_feature(static_cast<u32>(FeatureId::MemTopology), features, ByteOrder::Little),
              memory_section(1, bits, bits, words).bytes());
  }
}

TEST(MemoryTopologyFeature, RejectsBitmapsThatCannotBe) {
  EXPECT_FALSE(takes(FeatureId::MemTopology, memory_section(2, 64, 64, 1))) << "another version";
  EXPECT_FALSE(takes(FeatureId::MemTopology, memory_section(1, 65, 65, 1))) << "a word is missing";
  EXPECT_FALSE(takes(FeatureId::MemTopology, memory_section(1, ~u64{0}, ~u64{0}, 0))) << "a size that wraps around";
  EXPECT_FALSE(takes(FeatureId::MemTopology, memory_section(1, 5, 128, 2))) << "two sizes for one bitmap";
}

TEST(CacheFeature, IsOfVersion1) {
  const auto section = [](u32 version) {
    ByteBuffer out = ByteBuffer().put32(version).put32(1).put32(3).put32(64).put32(8192).put32(16);
    put_padded(put_padded(put_padded(out, "Unified"), "8192K"), "0-7");
    return out;
  };
  Features features;
  EXPECT_FALSE(takes(FeatureId::Cache, section(2), features));
  EXPECT_FALSE(features.caches);
  ASSERT_TRUE(takes(FeatureId::Cache, section(1), features));
  const CacheLevel& cache = features.caches->front();
  EXPECT_EQ(cache.level, 3u);
  EXPECT_EQ(cache.line_size * cache.sets * cache.ways, 8192u * 1024);
  EXPECT_EQ(cache.type, "Unified");
  EXPECT_EQ(cache.cpus, "0-7");
}

TEST(ClockDataFeature, IsOfVersion1) {
  const auto section = [](u32 version) { return ByteBuffer().put32(version).put32(1).put64(50).put64(20); };
  EXPECT_TRUE(takes(FeatureId::ClockData, section(1)));
  EXPECT_FALSE(takes(FeatureId::ClockData, section(0)));
  EXPECT_FALSE(takes(FeatureId::ClockData, section(2)));
}

TEST(SchedulingDomainsFeature, HasNamesSinceVersion17) {
  for (const u32 version : {15u, 16u, 17u}) {
    ByteBuffer section = ByteBuffer().put32(version).put32(2).put32(7).put32(1).put32(0);
    if (version >= 17) put_padded(section, "PKG");
    put_padded(put_padded(section, "000000ff"), "0-7");
    Features features;
    ASSERT_TRUE(takes(FeatureId::CpuDomainInfo, section, features));
    EXPECT_EQ(features.scheduling_domains->most_domains, 2u);
    const CpuDomains& cpu = features.scheduling_domains->cpus.front();
    EXPECT_EQ(cpu.cpu, 7u);
    EXPECT_EQ(cpu.domains.front().name, version >= 17 ? "PKG" : "");
    EXPECT_EQ(cpu.domains.front().mask, "000000ff");
    EXPECT_EQ(cpu.domains.front().cpus, "0-7");
    EXPECT_EQ(encode_feature(static_cast<u32>(FeatureId::CpuDomainInfo), features, ByteOrder::Little), section.bytes());
  }
}

TEST(AuxtraceFeature, CountsWhatItsSectionHolds) {
  const auto section = [](u64 count, unsigned entries) { return ByteBuffer().put64(count).zeros(16 * entries); };
  EXPECT_TRUE(takes(FeatureId::Auxtrace, section(0, 0)));
  EXPECT_TRUE(takes(FeatureId::Auxtrace, section(2, 2)));
  EXPECT_FALSE(takes(FeatureId::Auxtrace, section(3, 2)));
  EXPECT_FALSE(takes(FeatureId::Auxtrace, section(u64{1} << 60, 2))) << "times 16 that is 0";
}

TEST(EventDescFeature, MustHoldItsAttrsAndIds) {
  const auto section = [](u32 count, u32 attr_size, u32 ids, unsigned written_ids) {
    ByteBuffer out = ByteBuffer().put32(count).put32(attr_size).put32(0).put32(64).zeros(56).put32(ids);
    return put_padded(out, "cycles").zeros(std::size_t{8} * written_ids);
  };
  EXPECT_TRUE(takes(FeatureId::EventDesc, section(1, 64, 2, 2)));
  EXPECT_FALSE(takes(FeatureId::EventDesc, section(1, 64, 3, 2))) << "an id is missing";
  EXPECT_FALSE(takes(FeatureId::EventDesc, section(1, 63, 2, 2))) << "no attr was ever so small";
  EXPECT_FALSE(takes(FeatureId::EventDesc, section(0xffffffff, 64, 2, 2)));
  EXPECT_FALSE(takes(FeatureId::EventDesc, ByteBuffer().put32(0)));
}

struct IdEntry {
  u16 misc = 0;
  u8 id_size = 0;
  std::string_view name = "/bin/true";
};
ByteBuffer build_id_section(const std::vector<IdEntry>& entries) {
  ByteBuffer out;
  for (const IdEntry& entry : entries) {
    out.put32(0).put16(entry.misc).put16(36 + 16).put32(static_cast<u32>(-1));
    out.text("ABCDEFGHIJKLMNOPQRST").put(entry.id_size, 1).zeros(3).text(entry.name).zeros(16 - entry.name.size());
  }
  return out;
}

// PERF_RECORD_MISC_BUILD_ID_SIZE, bit 15: the byte after the id is its size (since 5.10).
TEST(BuildIdFeature, HasIdsOfAnySize) {
  Features features;
  ASSERT_TRUE(takes(
      FeatureId::BuildId,
      build_id_section(
          {{.misc = 2, .id_size = 8}, {.misc = 2 | 1 << 15, .id_size = 8}, {.misc = 1 | 1 << 15, .id_size = 255}}),
      features));
  const auto& ids = *features.build_ids;
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids[0].id.size, 20u) << "no size was given";
  EXPECT_EQ(ids[1].id.hex(), "4142434445464748");
  EXPECT_EQ(ids[2].id.size, 20u) << "larger than the field";
  EXPECT_EQ(ids[1].misc, 2u) << "without the bit that tells of the size";
  EXPECT_EQ(ids[1].pid, -1);
  EXPECT_TRUE(ids[1].sized);
  EXPECT_FALSE(ids[0].sized);
}

TEST(BuildIdFeature, KeepsTheEntriesBeforeADamagedOne) {
  ByteBuffer section = build_id_section({{.name = "/first"}, {.name = "/second"}});
  section.put32(0).put16(0).put16(35).zeros(60);
  Features features;
  ASSERT_TRUE(takes(FeatureId::BuildId, section, features));
  EXPECT_EQ(features.build_ids->size(), 2u);
  EXPECT_FALSE(takes(FeatureId::BuildId, ByteBuffer().put32(0).put16(0).put16(35).zeros(60), features));
  EXPECT_EQ(features.build_ids->size(), 2u);
}

// Offsets in struct bpf_prog_info: the size of the code is at 16, its offset in the arrays at 24.
TEST(BpfCode, IsAmongTheArraysBehindTheStruct) {
  const auto program = [](u32 size, u64 place) {
    BpfProgram made;
    made.bytes = ByteBuffer().zeros(16).put32(size).put32(0).put64(place).text("..CODE!!").bytes();
    made.info_length = 32;
    made.data_length = 8;
    return made;
  };
  const auto code = [&](u32 size, u64 place) {
    const BpfProgram made = program(size, place);
    const Bytes bytes = bpf_program_code(made, ByteOrder::Little);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  EXPECT_EQ(code(4, 2), "CODE");
  EXPECT_EQ(code(6, 2), "CODE!!");
  EXPECT_EQ(code(0, 8), "");
  EXPECT_EQ(code(7, 2), "") << "reaches beyond the arrays";
  EXPECT_EQ(code(4, 9), "");
  EXPECT_EQ(code(4, ~u64{0}), "");
  BpfProgram older = program(4, 2);
  older.info_length = 31;
  EXPECT_TRUE(bpf_program_code(older, ByteOrder::Little).empty()) << "a struct that ends before the fields";
}

}  // namespace
}  // namespace peregrine::data
