#include "capture/synthesis/record_encoder.h"

#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

u16 size_in_header(const ByteWriter& out, std::size_t at = 0) { return load<u16>(out.bytes().data() + at + 6); }

TEST(RecordEncoder, WritesTheHeaderAndItsSize) {
  ByteWriter out;
  RecordEncoder record(out, abi::RecordType::Comm, 0x2000);
  record.body().put64(7);
  EXPECT_TRUE(record.end());
  EXPECT_EQ(load<u32>(out.bytes().data()), static_cast<u32>(abi::RecordType::Comm));
  EXPECT_EQ(load<u16>(out.bytes().data() + 4), 0x2000u);
  EXPECT_EQ(size_in_header(out), 16u);
}

TEST(RecordEncoder, PadsTheBodyBeforeTheTrailer) {
  ByteWriter out;
  RecordEncoder record(out, abi::RecordType::Comm, 0);
  record.body().put32(7).put8(1);
  EXPECT_TRUE(record.end(24));
  EXPECT_EQ(out.size(), 8u + 8 + 24);
  EXPECT_EQ(size_in_header(out), out.size());
}

TEST(RecordEncoder, TextsEndWithANul) {
  for (const std::string_view text : {"", "seven77", "eight888", "nine99999"}) {
    ByteWriter out;
    RecordEncoder record(out, abi::RecordType::Comm, 0);
    record.text(text);
    EXPECT_TRUE(record.end());
    EXPECT_EQ(out.size() % 8, 0u);
    ASSERT_GT(out.size(), 8 + text.size());
    EXPECT_EQ(out.bytes()[8 + text.size()], std::byte{0}) << text;
  }
}

TEST(RecordEncoder, DropsARecordThatIsTooLarge) {
  ByteWriter out;
  RecordEncoder(out, abi::RecordType::FinishedRound, 0).end();
  RecordEncoder large(out, abi::RecordType::Mmap2, 0);
  large.text(std::string(0xffff, 'x'));
  EXPECT_FALSE(large.end());
  EXPECT_EQ(out.size(), 8u) << "what was before it stays";
}

TEST(RecordEncoder, TheLargestRecordFits) {
  ByteWriter out;
  RecordEncoder largest(out, abi::RecordType::Mmap2, 0);
  largest.body().zeros(0xfff8 - 8 - 16);
  EXPECT_TRUE(largest.end(16));
  EXPECT_EQ(size_in_header(out), 0xfff8u);
  RecordEncoder larger(out, abi::RecordType::Mmap2, 0);
  larger.body().zeros(0xfff8 - 8 - 15);
  EXPECT_FALSE(larger.end(16));
}

TEST(RecordEncoder, WritesRecordsBehindEachOther) {
  ByteWriter out;
  for (const u64 value : {1, 2}) {
    RecordEncoder record(out, abi::RecordType::Cgroup, 0);
    record.body().put64(value);
    record.text("/");
    record.end();
  }
  EXPECT_EQ(size_in_header(out), 24u);
  EXPECT_EQ(size_in_header(out, 24), 24u);
  EXPECT_EQ(load<u64>(out.bytes().data() + 24 + 8), 2u);
}

}  // namespace
}  // namespace peregrine
