#include "abi/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "abi/record_rows.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

using support::ByteBuffer;
using support::Endian;
using ::testing::ElementsAre;
namespace bit = sample_bit;

ByteOrder order_of(const ByteBuffer& body) {
  return body.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big;
}

// A record and the bytes it borrows, starting at an address that is `shift` bytes off a multiple of eight.
struct Record {
  std::vector<std::byte> bytes;
  RecordView view;

  explicit Record(const ByteBuffer& body, RecordType type = RecordType::Sample, u16 misc = misc_bit::User,
                  std::size_t shift = 0)
      : bytes(shift + 8 + body.size()) {
    std::ranges::copy(body.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(shift + 8));
    view.type = type;
    view.misc = misc;
    view.order = order_of(body);
    view.bytes = Bytes(bytes).subspan(shift);
  }
};

TEST(SampleDecoder, GivesEveryLeadingField) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    EventAttr attr;
    attr.sample_type =
        bit::Identifier | bit::Ip | bit::Tid | bit::Time | bit::Addr | bit::StreamId | bit::Cpu | bit::Period;
    ByteBuffer body(endian);
    body.put64(77).put64(0x401000).put32(10).put32(11).put64(123456789).put64(0xbeef).put64(5).put32(3).put32(0).put64(
        250);
    const Record record(body);
    const SampleDecoder decoder(attr, record.view.order);
    Sample sample;
    SampleScratch scratch;
    ASSERT_TRUE(decoder.decode(record.view, sample, scratch));
    EXPECT_EQ(sample.fields, attr.sample_type);
    EXPECT_EQ(sample.id, 77u);
    EXPECT_EQ(sample.ip, 0x401000u);
    EXPECT_EQ(sample.pid, 10u);
    EXPECT_EQ(sample.tid, 11u);
    EXPECT_EQ(sample.time, 123456789u);
    EXPECT_EQ(sample.addr, 0xbeefu);
    EXPECT_EQ(sample.stream_id, 5u);
    EXPECT_EQ(sample.cpu, 3u);
    EXPECT_EQ(sample.period, 250u);
    EXPECT_EQ(sample.cpumode(), misc_bit::User);
    EXPECT_EQ(decoder.time_of(record.view), 123456789u);
    EXPECT_EQ(decoder.id_of(record.view), 77u);
  }
}

TEST(SampleDecoder, BorrowsAlignedChainsAndCopiesOthers) {
  EventAttr attr;
  attr.sample_type = bit::Ip | bit::Callchain;
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    for (const std::size_t shift : {0u, 4u, 1u}) {
      ByteBuffer body(endian);
      body.put64(1).put64(3).put64(kContextUser).put64(0x10).put64(0x20);
      const Record record(body, RecordType::Sample, misc_bit::User, shift);
      Sample sample;
      SampleScratch scratch;
      ASSERT_TRUE(SampleDecoder(attr, record.view.order).decode(record.view, sample, scratch));
      EXPECT_THAT(sample.callchain, ElementsAre(kContextUser, 0x10u, 0x20u));
      const auto* first = reinterpret_cast<const std::byte*>(sample.callchain.data());
      const bool borrowed = first >= record.bytes.data() && first < record.bytes.data() + record.bytes.size();
      EXPECT_EQ(borrowed, endian == Endian::Little && shift == 0);
    }
  }
}

// The fields after the raw data start at its end, because the kernel includes padding in its size.
TEST(SampleDecoder, KeepsRawDataInFileOrder) {
  EventAttr attr;
  attr.sample_type = bit::Raw | bit::PhysAddr;
  ByteBuffer body(Endian::Big);
  body.put32(12).text("abcdefghijkl").put64(0x1234);
  const Record record(body);
  Sample sample;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(attr, ByteOrder::Big).decode(record.view, sample, scratch));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(sample.raw.data()), sample.raw.size()), "abcdefghijkl");
  EXPECT_EQ(sample.phys_addr, 0x1234u);
}

// mispredicted:1 predicted:1 in_tx:1 abort:1 cycles:16 type:4 spec:2 new_type:4 priv:3
TEST(SampleDecoder, ReadsBranchFlagsFromTheOtherEndOfABigEndianWord) {
  EventAttr attr;
  attr.sample_type = bit::BranchStack;
  attr.branch_sample_type = 1u << 17;  // hw_idx
  const std::pair<Endian, u64> flags[] = {
      {Endian::Little, 1ull << 1 | 1ull << 3 | 300ull << 4 | 3ull << 20 | 2ull << 24 | 5ull << 26 | 4ull << 30},
      {Endian::Big, 1ull << 62 | 1ull << 60 | 300ull << 44 | 3ull << 40 | 2ull << 38 | 5ull << 34 | 4ull << 31}};
  for (const auto& [endian, word] : flags) {
    ByteBuffer body(endian);
    body.put64(1).put64(9).put64(0x100).put64(0x200).put64(word);
    const Record record(body);
    Sample sample;
    SampleScratch scratch;
    ASSERT_TRUE(SampleDecoder(attr, record.view.order).decode(record.view, sample, scratch));
    EXPECT_EQ(sample.branch_hw_index, 9u);
    ASSERT_EQ(sample.branches.size(), 1u);
    const BranchEntry& entry = sample.branches[0];
    EXPECT_EQ(entry.from, 0x100u);
    EXPECT_EQ(entry.to, 0x200u);
    EXPECT_FALSE(entry.mispredicted);
    EXPECT_TRUE(entry.predicted);
    EXPECT_FALSE(entry.in_transaction);
    EXPECT_TRUE(entry.abort);
    EXPECT_EQ(entry.cycles, 300u);
    EXPECT_EQ(entry.type, 3u);
    EXPECT_EQ(entry.speculation, 2u);
    EXPECT_EQ(entry.new_type, 5u);
    EXPECT_EQ(entry.privilege, 4u);
  }
}

TEST(SampleDecoder, GivesRegistersStackAndWhatFollows) {
  EventAttr attr;
  attr.sample_type = bit::RegsUser | bit::StackUser | bit::WeightStruct | bit::DataSrc | bit::Transaction |
                     bit::RegsIntr | bit::Cgroup | bit::DataPageSize | bit::CodePageSize | bit::Aux;
  attr.sample_regs_user = 0b101;
  attr.sample_regs_intr = 0b1;
  ByteBuffer body;
  body.put64(2).put64(70).put64(71);                  // user registers
  body.put64(16).text("0123456789abcdef").put64(10);  // stack: 10 of 16 bytes are valid
  body.put32(40).put16(41).put16(42).put64(0x50).put64(6).put64(0).put64(8).put64(4096).put64(8192);
  body.put64(3).text("aux");
  const Record record(body);
  Sample sample;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(attr).decode(record.view, sample, scratch));
  EXPECT_EQ(sample.user_registers.abi, 2u);
  EXPECT_EQ(sample.user_registers.mask, 0b101u);
  EXPECT_THAT(sample.user_registers.values, ElementsAre(70u, 71u));
  EXPECT_EQ(sample.user_stack.size(), 10u);
  EXPECT_EQ(sample.user_stack_size, 16u);
  EXPECT_EQ(sample.weight, 40u);
  EXPECT_EQ(sample.weight2, 41u);
  EXPECT_EQ(sample.weight3, 42u);
  EXPECT_EQ(sample.data_src, 0x50u);
  EXPECT_EQ(sample.transaction, 6u);
  EXPECT_EQ(sample.interrupt_registers.abi, 0u);
  EXPECT_TRUE(sample.interrupt_registers.values.empty());
  EXPECT_EQ(sample.cgroup, 8u);
  EXPECT_EQ(sample.data_page_size, 4096u);
  EXPECT_EQ(sample.code_page_size, 8192u);
  EXPECT_EQ(sample.aux.size(), 3u);
}

TEST(SampleDecoder, ReadsGroupsOfCounters) {
  EventAttr attr;
  attr.sample_type = bit::Read | bit::Raw;
  attr.read_format = read_bit::Group | read_bit::TotalTimeEnabled | read_bit::Id | read_bit::Lost;
  ByteBuffer body;
  body.put64(2).put64(1000).put64(5).put64(50).put64(1).put64(6).put64(60).put64(0).put32(4).text("rest");
  const Record record(body);
  Sample sample;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(attr).decode(record.view, sample, scratch));
  EXPECT_EQ(sample.read.time_enabled, 1000u);
  ASSERT_EQ(sample.read.values.size(), 2u);
  EXPECT_EQ(sample.read.values[1].value, 6u);
  EXPECT_EQ(sample.read.values[1].id, 60u);
  EXPECT_EQ(sample.read.values[0].lost, 1u);
  EXPECT_EQ(sample.raw.size(), 4u);
}

// Two events with the same sample_type: only the first records the counters and the hardware's index of branches.
TEST(SampleDecoder, LeavesNoBranchCountersOfAnotherEvent) {
  EventAttr counting, plain;
  counting.sample_type = plain.sample_type = bit::BranchStack;
  counting.branch_sample_type = branch_bit::Any | branch_bit::HwIndex | branch_bit::Counters;
  plain.branch_sample_type = branch_bit::Any;
  const Record with(ByteBuffer().put64(1).put64(9).zeros(24).put64(5)), without(ByteBuffer().put64(1).zeros(24));
  Sample sample;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(counting).decode(with.view, sample, scratch));
  EXPECT_EQ(sample.branch_hw_index, 9u);
  ASSERT_EQ(sample.branch_counters.size(), 1u);
  ASSERT_TRUE(SampleDecoder(plain).decode(without.view, sample, scratch));
  EXPECT_EQ(sample.branches.size(), 1u);
  EXPECT_EQ(sample.branch_hw_index, 0u);
  EXPECT_TRUE(sample.branch_counters.empty());
}

TEST(SampleDecoder, RefusesCountsBeyondTheRecord) {
  SampleScratch scratch;
  const std::pair<u64, ByteBuffer> cases[] = {
      {bit::Callchain, ByteBuffer().put64(2).put64(1)},
      {bit::Callchain, ByteBuffer().put64(~0ull).put64(1)},
      {bit::Raw, ByteBuffer().put32(8).put32(0)},
      {bit::BranchStack, ByteBuffer().put64(0x0aaaaaaaaaaaaaabull).zeros(48)},
      {bit::StackUser, ByteBuffer().put64(0xfffffffffffffff8ull).zeros(16)},
      {bit::Aux, ByteBuffer().put64(9).zeros(8)},
      {bit::Ip | bit::Time, ByteBuffer().put64(1)},
  };
  for (const auto& [type, body] : cases) {
    EventAttr attr;
    attr.sample_type = type;
    const Record record(body);
    Sample sample;
    EXPECT_FALSE(SampleDecoder(attr).decode(record.view, sample, scratch)) << type;
  }
}

// One Sample is reused for events with different sample_types, and after a short record.
TEST(SampleDecoder, LeavesNothingOfTheSampleBefore) {
  EventAttr with_chain, without;
  with_chain.sample_type = bit::Ip | bit::Callchain;
  without.sample_type = bit::Ip;
  without.sample_period = 7;
  const Record chain(ByteBuffer().put64(1).put64(1).put64(0x10)), bare(ByteBuffer().put64(2)),
      cut(ByteBuffer().put64(3));
  Sample sample;
  SampleScratch scratch;
  ASSERT_TRUE(SampleDecoder(with_chain).decode(chain.view, sample, scratch));
  ASSERT_TRUE(SampleDecoder(without).decode(bare.view, sample, scratch));
  EXPECT_TRUE(sample.callchain.empty());
  EXPECT_EQ(sample.period, 7u);
  ASSERT_TRUE(SampleDecoder(with_chain).decode(chain.view, sample, scratch));
  EXPECT_FALSE(SampleDecoder(with_chain).decode(cut.view, sample, scratch));
  EXPECT_EQ(sample.ip, 3u);
  EXPECT_TRUE(sample.callchain.empty());
}

TEST(SampleDecoder, SamplesWithoutPeriodsOfAFrequencyWeighTheSame) {
  EventAttr attr;
  attr.sample_type = bit::Ip;
  attr.flags = attr_flag::Freq;
  attr.sample_period = 4000;
  Sample sample;
  SampleScratch scratch;
  const Record bare(ByteBuffer().put64(2));
  ASSERT_TRUE(SampleDecoder(attr).decode(bare.view, sample, scratch));
  EXPECT_EQ(sample.period, 4000u);
}

TEST(SampleId, StandsAtTheEndOfSideBand) {
  EventAttr attr;
  attr.flags = attr_flag::SampleIdAll;
  attr.sample_type = bit::Ip | bit::Tid | bit::Time | bit::Id | bit::Cpu;
  ByteBuffer body;
  body.put64(0x1111).put32(1).put32(2).put64(99).put64(55).put32(4).put32(0);
  const Record record(body, RecordType::Lost);
  EXPECT_EQ(sample_id_size(attr), 32u);
  const SampleId id = decode_sample_id(record.view, attr);
  EXPECT_EQ(id.pid, 1u);
  EXPECT_EQ(id.tid, 2u);
  EXPECT_EQ(id.time, 99u);
  EXPECT_EQ(id.id, 55u);
  EXPECT_EQ(id.cpu, 4u);
  EXPECT_EQ(side_band_time(record.view, attr), 99u);
  attr.flags = 0;
  EXPECT_EQ(decode_sample_id(record.view, attr).fields, 0u);
  EXPECT_EQ(side_band_time(record.view, attr), 0u);
}

}  // namespace
}  // namespace peregrine::abi
