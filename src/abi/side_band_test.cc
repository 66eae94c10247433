#include "abi/side_band.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "abi/record_rows.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;

struct DecodedSideBand {
  std::vector<std::byte> bytes;
  SideBandScratch scratch;
  Result<std::optional<SideBand>> result;

  DecodedSideBand(RecordType type, const ByteBuffer& body, u16 misc = 0, const EventAttr& attr = {}) : bytes(8) {
    bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
    RecordView view;
    view.type = type;
    view.misc = misc;
    view.bytes = bytes;
    view.order = body.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
    result = decode_side_band(view, attr, scratch);
  }
  template <class T>
  const T& as() const {
    return std::get<T>((*result)->body);
  }
};

TEST(SideBand, DecodesMmap2WithInodeOrBuildId) {
  ByteBuffer inode(Endian::Big);
  inode.put32(1).put32(2).put64(0x400000).put64(0x1000).put64(0x2000).put32(8).put32(1).put64(77).put64(3);
  inode.put32(5).put32(2).ended_text("/usr/bin/true", 8);
  const DecodedSideBand by_inode(RecordType::Mmap2, inode, misc_bit::User);
  ASSERT_TRUE(by_inode.result && *by_inode.result);
  const auto& m = by_inode.as<MmapRecord>();
  EXPECT_EQ(m.tid, 2u);
  EXPECT_EQ(m.start, 0x400000u);
  EXPECT_EQ(m.page_offset, 0x2000u);
  EXPECT_EQ(m.major, 8u);
  EXPECT_EQ(m.inode, 77u);
  EXPECT_EQ(m.protection, 5u);
  EXPECT_EQ(m.filename, "/usr/bin/true");
  EXPECT_FALSE(m.has_build_id);

  ByteBuffer build_id;
  build_id.put32(1).put32(2).put64(0).put64(0).put64(0).put(200, 1).zeros(3).text("ABCDEFGHIJKLMNOPQRST");
  build_id.put32(5).put32(2).ended_text("x", 8);
  const DecodedSideBand by_id(RecordType::Mmap2, build_id, misc_bit::MmapBuildId | misc_bit::MmapData);
  ASSERT_TRUE(by_id.result && *by_id.result);
  EXPECT_TRUE(by_id.as<MmapRecord>().has_build_id);
  EXPECT_EQ(by_id.as<MmapRecord>().build_id.size(), 20u);  // the record claims 200
  EXPECT_TRUE(by_id.as<MmapRecord>().data);
}

TEST(SideBand, DecodesTasks) {
  const DecodedSideBand comm(RecordType::Comm, ByteBuffer().put32(1).put32(2).ended_text("bash", 8),
                             misc_bit::CommExec);
  EXPECT_EQ(comm.as<CommRecord>().comm, "bash");
  EXPECT_TRUE(comm.as<CommRecord>().exec);
  const DecodedSideBand fork(RecordType::Fork, ByteBuffer(Endian::Big).put32(1).put32(2).put32(3).put32(4).put64(5));
  EXPECT_EQ(fork.as<ForkRecord>().parent_pid, 2u);
  EXPECT_EQ(fork.as<ForkRecord>().tid, 3u);
  EXPECT_EQ(fork.as<ForkRecord>().time, 5u);
}

TEST(SideBand, ReadsTheTrailerBehindTheBody) {
  EventAttr attr;
  attr.flags = attr_flag::SampleIdAll;
  attr.sample_type = sample_bit::Time | sample_bit::Identifier;
  const DecodedSideBand lost(RecordType::Lost, ByteBuffer().put64(3).put64(12).put64(1000).put64(9), 0, attr);
  EXPECT_EQ(lost.as<LostRecord>().lost, 12u);
  EXPECT_EQ((*lost.result)->id.time, 1000u);
  EXPECT_EQ((*lost.result)->id.id, 9u);
}

TEST(SideBand, FindsTheTrailerInFrontOfLeftoverBytes) {
  EventAttr attr;
  attr.flags = attr_flag::SampleIdAll;
  attr.sample_type = sample_bit::Tid | sample_bit::Time;
  const auto time_in = [&](RecordType type, ByteBuffer body) {
    body.put32(5).put32(6).put64(1000);
    const DecodedSideBand exact(type, body, 0, attr);
    body.zeros(8).put64(0x7777777777777777).zeros(8);
    const DecodedSideBand longer(type, body, 0, attr);
    EXPECT_EQ((*exact.result)->id.time, 1000u) << record_type_name(type);
    EXPECT_EQ((*longer.result)->id.tid, 6u) << record_type_name(type);
    return (*longer.result)->id.time;
  };
  const ByteBuffer symbol = ByteBuffer().put64(0x1000).put32(128).put16(1).put16(0);
  EXPECT_EQ(time_in(RecordType::Ksymbol, ByteBuffer(symbol).ended_text("bpf_prog", 8)), 1000u);
  EXPECT_EQ(time_in(RecordType::Ksymbol, ByteBuffer(symbol).ended_text("seven_7", 8)), 1000u);
  EXPECT_EQ(time_in(RecordType::BpfEvent, ByteBuffer().put16(1).put16(0).put32(9).zeros(8)), 1000u);
  EXPECT_EQ(time_in(RecordType::TextPoke, ByteBuffer().put64(0x10).put16(2).put16(3).text("abcde").zeros(7)), 1000u);
}

TEST(SideBand, DecodesTheKernelsOwnNews) {
  const DecodedSideBand symbol(
      RecordType::Ksymbol,
      ByteBuffer().put64(0xffffffffc0000000).put32(128).put16(1).put16(0).ended_text("bpf_prog", 8));
  EXPECT_EQ(symbol.as<KsymbolRecord>().name, "bpf_prog");
  EXPECT_EQ(symbol.as<KsymbolRecord>().length, 128u);
  const DecodedSideBand poke(RecordType::TextPoke, ByteBuffer().put64(0x10).put16(2).put16(3).text("abcde").zeros(3));
  EXPECT_EQ(poke.as<TextPokeRecord>().old_bytes.size(), 2u);
  EXPECT_EQ(poke.as<TextPokeRecord>().new_bytes.size(), 3u);
  const DecodedSideBand wide(RecordType::SwitchCpuWide, ByteBuffer().put32(7).put32(8), misc_bit::SwitchOut);
  EXPECT_TRUE(wide.as<SwitchRecord>().out);
  EXPECT_EQ(wide.as<SwitchRecord>().next_prev_tid, 8u);
  const DecodedSideBand spaces(RecordType::Namespaces, ByteBuffer().put32(1).put32(1).put64(1).put64(4).put64(5));
  ASSERT_EQ(spaces.as<NamespacesRecord>().links.size(), 1u);
  EXPECT_EQ(spaces.as<NamespacesRecord>().links[0].inode, 5u);
  const DecodedSideBand deferred(RecordType::CallchainDeferred,
                                 ByteBuffer(Endian::Big).put64(6).put64(2).put64(10).put64(11));
  EXPECT_THAT(deferred.as<CallchainDeferredRecord>().chain, ::testing::ElementsAre(10u, 11u));
}

TEST(SideBand, RefusesWhatDoesNotFit) {
  const std::pair<RecordType, ByteBuffer> cases[] = {
      {RecordType::Comm, ByteBuffer().put32(1).put32(1).text("no end!!")},
      {RecordType::Comm, ByteBuffer().put32(1)},
      {RecordType::Mmap, ByteBuffer().put32(1).put32(1).put64(0)},
      {RecordType::Namespaces, ByteBuffer().put32(1).put32(1).put64(0x1000000000000001ull).zeros(16)},
      {RecordType::CallchainDeferred, ByteBuffer().put64(1).put64(~0ull).zeros(8)},
      {RecordType::TextPoke, ByteBuffer().put64(1).put16(9).put16(0).zeros(4)},
      {RecordType::Exit, ByteBuffer().put64(1)},
  };
  for (const auto& [type, body] : cases) {
    const DecodedSideBand decoded(type, body);
    ASSERT_FALSE(decoded.result) << record_type_name(type);
    EXPECT_EQ(decoded.result.error().kind, ErrorKind::Malformed);
  }
}

TEST(SideBand, LeavesSamplesAndToolRecordsAlone) {
  for (const RecordType type : {RecordType::Sample, RecordType::FinishedRound, static_cast<RecordType>(60)}) {
    const DecodedSideBand decoded(type, ByteBuffer().put64(0));
    ASSERT_TRUE(decoded.result);
    EXPECT_FALSE(decoded.result->has_value());
  }
}

}  // namespace
}  // namespace peregrine::abi
