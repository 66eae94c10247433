// encode_sample writes what SampleDecoder reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

using ::testing::ElementsAreArray;
namespace bit = sample_bit;

// The fields that kernel tools generate themselves.
constexpr u64 kFields[] = {bit::Identifier,   bit::Ip,           bit::Tid,         bit::Time,        bit::Addr,
                           bit::Id,           bit::StreamId,     bit::RegsUser,    bit::RegsIntr,    bit::Cpu,
                           bit::Period,       bit::Callchain,    bit::Raw,         bit::BranchStack, bit::WeightStruct,
                           bit::Weight,       bit::DataSrc,      bit::Transaction, bit::PhysAddr,    bit::Cgroup,
                           bit::DataPageSize, bit::CodePageSize, bit::Traced};

constexpr u64 kChain[] = {kContextUser, 0x401000, 0x402000};
constexpr BranchEntry kBranches[] = {
    {.from = 1,
     .to = 2,
     .cycles = 0xabcd,
     .type = 9,
     .new_type = 5,
     .privilege = 3,
     .speculation = 2,
     .predicted = true},
    {.from = ~u64{0}, .to = 4, .mispredicted = true, .in_transaction = true, .abort = true},
};
constexpr u64 kUserRegisters = 0x101, kInterruptRegisters = 0x8000'0000'0003;
constexpr u64 kUserValues[] = {21, 22}, kInterruptValues[] = {31, 32, 33};
constexpr char kRaw[] = "raw data of any size";

Sample full_sample(std::size_t raw) {
  Sample sample;
  sample.misc = misc_bit::Kernel;
  sample.ip = 0x401234;
  sample.pid = 10;
  sample.tid = 11;
  sample.time = 123456789;
  sample.addr = 0xbeef;
  sample.id = 77;
  sample.stream_id = 78;
  sample.cpu = 3;
  sample.period = 250;
  sample.weight = 0x12345678;
  sample.weight2 = 0x9abc;
  sample.weight3 = 0xdef0;
  sample.data_src = 0x1122334455667788;
  sample.transaction = 5;
  sample.phys_addr = 6;
  sample.cgroup = 7;
  sample.data_page_size = 4096;
  sample.code_page_size = 8192;
  sample.callchain = kChain;
  sample.branches = kBranches;
  sample.branch_hw_index = 12;
  sample.raw = std::as_bytes(std::span(kRaw)).first(raw);
  sample.user_registers = {.abi = 1, .mask = kUserRegisters, .values = kUserValues};
  sample.interrupt_registers = {.abi = 2, .mask = kInterruptRegisters, .values = kInterruptValues};
  sample.traced = {.flags = 0x403, .length = 15, .instructions = 1000, .cycles = 2000};
  return sample;
}

void expect_field(const Sample& in, const Sample& out, u64 has) {
  const auto same = [&](u64 bits, auto field) {
    if ((has & bits) != 0) EXPECT_EQ(in.*field, out.*field) << std::hex << has;
  };
  same(bit::Ip, &Sample::ip);
  same(bit::Tid, &Sample::pid);
  same(bit::Tid, &Sample::tid);
  same(bit::Time, &Sample::time);
  same(bit::Addr, &Sample::addr);
  same(bit::Id | bit::Identifier, &Sample::id);
  same(bit::StreamId, &Sample::stream_id);
  same(bit::Cpu, &Sample::cpu);
  same(bit::Period, &Sample::period);
  same(bit::Weight | bit::WeightStruct, &Sample::weight);
  same(bit::WeightStruct, &Sample::weight2);
  same(bit::WeightStruct, &Sample::weight3);
  same(bit::DataSrc, &Sample::data_src);
  same(bit::Transaction, &Sample::transaction);
  same(bit::PhysAddr, &Sample::phys_addr);
  same(bit::Cgroup, &Sample::cgroup);
  same(bit::DataPageSize, &Sample::data_page_size);
  same(bit::CodePageSize, &Sample::code_page_size);
}

void expect_branches(const Sample& in, const Sample& out) {
  ASSERT_EQ(out.branches.size(), in.branches.size());
  for (std::size_t i = 0; i < in.branches.size(); ++i) {
    const BranchEntry &was = in.branches[i], &is = out.branches[i];
    EXPECT_EQ(was.from, is.from);
    EXPECT_EQ(was.to, is.to);
    EXPECT_EQ(was.cycles, is.cycles);
    EXPECT_EQ(was.type, is.type);
    EXPECT_EQ(was.new_type, is.new_type);
    EXPECT_EQ(was.privilege, is.privilege);
    EXPECT_EQ(was.speculation, is.speculation);
    EXPECT_EQ(was.mispredicted, is.mispredicted);
    EXPECT_EQ(was.predicted, is.predicted);
    EXPECT_EQ(was.in_transaction, is.in_transaction);
    EXPECT_EQ(was.abort, is.abort);
  }
}

// Raw data includes its padding, so that the following fields are aligned.
void expect_raw(const Sample& in, const Sample& out) {
  EXPECT_EQ((out.raw.size() + 4) % 8, 0u);
  ASSERT_LT(out.raw.size() - in.raw.size(), 8u);
  EXPECT_TRUE(std::ranges::equal(out.raw.first(in.raw.size()), in.raw));
  for (const std::byte padding : out.raw.subspan(in.raw.size())) EXPECT_EQ(padding, std::byte{0});
}

void round_trip(EventAttr attr, ByteOrder order, std::size_t raw = 20) {
  attr.sample_regs_user = kUserRegisters;
  attr.sample_regs_intr = kInterruptRegisters;
  const Sample in = full_sample(raw);
  ByteWriter bytes(order);
  encode_sample(in, attr, bytes);
  ASSERT_EQ(bytes.size() % 8, 0u) << std::hex << attr.sample_type;
  RecordView record;
  record.bytes = bytes.bytes();
  record.type = RecordType::Sample;
  record.misc = in.misc;
  record.order = order;
  EXPECT_EQ(load<u16>(record.bytes.data() + 6, order), bytes.size());
  EXPECT_EQ(load<u16>(record.bytes.data() + 4, order), in.misc);
  Sample out;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(attr, order).decode(record, out, scratch)) << std::hex << attr.sample_type;
  const u64 has = attr.sample_type;
  expect_field(in, out, has);
  if ((has & bit::Callchain) != 0) EXPECT_THAT(out.callchain, ElementsAreArray(kChain));
  if ((has & bit::Raw) != 0) expect_raw(in, out);
  if ((has & bit::BranchStack) != 0) expect_branches(in, out);
  if ((has & bit::BranchStack) != 0 && (attr.branch_sample_type & branch_bit::HwIndex) != 0)
    EXPECT_EQ(out.branch_hw_index, in.branch_hw_index);
  if ((has & bit::RegsUser) != 0) EXPECT_THAT(out.user_registers.values, ElementsAreArray(kUserValues));
  if ((has & bit::RegsIntr) != 0) EXPECT_THAT(out.interrupt_registers.values, ElementsAreArray(kInterruptValues));
  if ((has & bit::Traced) == 0) return;
  EXPECT_EQ(out.traced.flags, in.traced.flags);
  EXPECT_EQ(out.traced.length, in.traced.length);
  EXPECT_EQ(out.traced.instructions, in.traced.instructions);
  EXPECT_EQ(out.traced.cycles, in.traced.cycles);
}

TEST(SampleEncoder, WritesWhatIsRead) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    for (const u64 one : kFields) {
      for (const u64 other : kFields) {
        EventAttr attr;
        attr.sample_type = one | other;
        round_trip(attr, order);
      }
    }
  }
}

// If there are fewer than the attr says, readers cannot know which ones.
TEST(SampleEncoder, WritesIncompleteRegistersAsNone) {
  EventAttr attr;
  attr.sample_type = bit::RegsIntr;
  attr.sample_regs_intr = 7;
  Sample sample = full_sample(0);
  sample.interrupt_registers.values = std::span(kInterruptValues).first(2);
  ByteWriter bytes;
  encode_sample(sample, attr, bytes);
  EXPECT_EQ(bytes.size(), 16u);
  EXPECT_EQ(load<u64>(bytes.bytes().data() + 8, kHostOrder), 0u);
}

TEST(SampleEncoder, WritesAllFieldsTogether) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    for (const u64 weight : {bit::Weight, bit::WeightStruct}) {
      EventAttr attr;
      for (const u64 field : kFields) attr.sample_type |= field;
      attr.sample_type &= ~((bit::Weight | bit::WeightStruct) & ~weight);
      round_trip(attr, order);
      attr.branch_sample_type = branch_bit::HwIndex;
      for (std::size_t raw = 0; raw <= 16; ++raw) round_trip(attr, order, raw);
    }
  }
}

}  // namespace
}  // namespace peregrine::abi
