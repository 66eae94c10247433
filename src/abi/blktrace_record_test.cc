#include "abi/blktrace_record.h"

#include <gtest/gtest.h>

#include <string_view>

namespace peregrine::abi {
namespace {

BlktraceRecord issued_write() {
  BlktraceRecord record;
  record.time = 5;
  record.sector = 100;
  record.sequence = 3;
  record.bytes = 4096;
  record.action = static_cast<u8>(BlockAction::Issue);
  record.traits = block_trait::Issue | block_trait::Write;
  record.pid = 77;
  record.device = 8u << 20 | 1;
  record.cpu = 2;
  record.error = 9;
  return record;
}

TEST(BlktraceRecord, SurvivesItsBytes) {
  const BlktraceRecord record = issued_write();
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    ByteWriter out(order);
    encode_blktrace_record(record, out);
    ASSERT_EQ(blktrace_order(out.bytes()), order);
    ASSERT_EQ(blktrace_record_size(out.bytes(), order), kBlktraceHeader);
    const BlktraceRecord read = decode_blktrace_record(out.bytes(), order);
    EXPECT_EQ(read.time, 5u);
    EXPECT_EQ(read.sector, 100u);
    EXPECT_EQ(read.end(), 108u);
    EXPECT_TRUE(read.is(BlockAction::Issue));
    EXPECT_EQ(read.traits, record.traits);
    EXPECT_EQ(read.pid, 77u);
    EXPECT_EQ(block_major(read.device), 8u);
    EXPECT_EQ(block_minor(read.device), 1u);
    EXPECT_EQ(read.cpu, 2u);
    EXPECT_EQ(read.error, 9u);
  }
}

TEST(BlktraceRecord, HasNumbersAndRemapsInItsPayload) {
  BlktraceRecord record = issued_write();
  const auto number = encode_block_number(0x1234567890);
  record.pdu = number;
  EXPECT_EQ(record.number(), 0x1234567890u);
  EXPECT_FALSE(block_remap(record)) << "too short";
  const auto remap = encode_block_remap({.from = 8u << 20 | 17, .to = 8u << 20 | 16, .from_sector = 29});
  record.pdu = remap;
  EXPECT_EQ(block_remap(record)->from, 8u << 20 | 17);
  EXPECT_EQ(block_remap(record)->to, 8u << 20 | 16);
  EXPECT_EQ(block_remap(record)->from_sector, 29u);
}

TEST(BlktraceRecord, LeavesOutTheCgroupBeforeThePayload) {
  BlktraceRecord record = issued_write();
  const auto remap = encode_block_remap({.from = 1, .to = 2, .from_sector = 3});
  record.pdu = remap;
  ByteWriter out;
  encode_blktrace_record(record, out);
  out.patch<u32>(28, u32{record.traits} << 16 | 1u << 8 | record.action);
  const BlktraceRecord read = decode_blktrace_record(out.bytes(), kHostOrder);
  EXPECT_TRUE(read.cgroup);
  EXPECT_EQ(read.pdu.size(), 8u);
  EXPECT_TRUE(read.is(BlockAction::Issue));
}

TEST(BlktraceRecord, RejectsOtherBytes) {
  ByteWriter out;
  encode_blktrace_record(issued_write(), out);
  EXPECT_FALSE(blktrace_record_size(out.bytes().first(kBlktraceHeader - 1), kHostOrder)) << "incomplete";
  out.patch<u32>(0, kBlktraceMagic | 8);
  EXPECT_FALSE(blktrace_order(out.bytes()));
  EXPECT_EQ(blktrace_version(out.bytes()), 8u);
  out.patch<u32>(0, 0x12345678);
  EXPECT_FALSE(blktrace_version(out.bytes()));
}

TEST(BlockKind, IsTheSameTextAfterParsing) {
  for (const std::string_view text : {"R", "W", "WS", "WSM", "RA", "RM", "D", "DS", "FW", "FWFS", "WF"}) {
    BlktraceRecord record;
    record.bytes = 512;
    record.traits = parse_block_kind(text);
    EXPECT_EQ(block_kind_text(record), text);
  }
}

TEST(BlockKind, OfAFlushAloneHasNoDirection) {
  for (const std::string_view text : {"F", "FF"}) {
    BlktraceRecord record;
    record.traits = parse_block_kind(text);
    EXPECT_EQ(block_kind_text(record), "FN") << text;
  }
}

}  // namespace
}  // namespace peregrine::abi
