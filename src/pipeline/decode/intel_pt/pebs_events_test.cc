#include "pipeline/decode/intel_pt/pebs_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using auxtrace::PebsRecord;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace bit = abi::sample_bit;

data::Event event(u64 sample_type, bool output = true) {
  data::Event event;
  event.attr.sample_type = bit::Ip | bit::Tid | sample_type;
  if (output) event.attr.set(abi::attr_flag::AuxOutput, true);
  return event;
}

PebsRecord of_counters(u64 counters) {
  PebsRecord record;
  record.set(PebsRecord::Basic, auxtrace::pebs_item::Counters, counters);
  return record;
}

TEST(PebsEvents, OneEventGetsAllRecords) {
  data::Evlist evlist;
  evlist.add(event(0, false));
  evlist.add(event(0));
  PebsEvents events(evlist, true);
  EXPECT_THAT(events.events_of(of_counters(4), 0), ElementsAre(1));
  EXPECT_TRUE(PebsEvents(evlist, false).empty());
}

TEST(PebsEvents, LeavesOutEventsWithFieldsThatNoRecordHas) {
  data::Evlist evlist;
  evlist.add(event(bit::Read));
  evlist.add(event(bit::StackUser));
  EXPECT_TRUE(PebsEvents(evlist, true).empty());
}

TEST(PebsEvents, SeveralEventsAreToldApartByCounters) {
  data::Evlist evlist;
  evlist.add(event(0));
  evlist.add(event(0));
  PebsEvents events(evlist, true);
  events.assign(0, 1, 0);
  events.assign(0, 3, 1);
  events.assign(5, 1, 1);
  events.assign(0, 64, 1);
  EXPECT_THAT(events.events_of(of_counters(1u << 1), 0), ElementsAre(0));
  EXPECT_THAT(events.events_of(of_counters(1u << 1 | 1u << 3), 0), ElementsAre(0, 1));
  EXPECT_THAT(events.events_of(of_counters(1u << 1), 5), ElementsAre(1));
  EXPECT_EQ(events.unassigned(), 0u);
  EXPECT_THAT(events.events_of(of_counters(1u << 2), 0), IsEmpty());
  EXPECT_EQ(events.unassigned(), 1u);
}

// The sample that an event with these fields gets from a record. Its spans point into `scratch`.
struct Filled {
  explicit Filled(const PebsRecord& record, u64 sample_type, u64 registers = 0) {
    abi::EventAttr attr = event(sample_type).attr;
    attr.sample_period = 1000;
    attr.sample_regs_intr = registers;
    sample.ip = 0x99;
    fill_pebs_sample(record, attr, sample, scratch);
  }
  PebsScratch scratch;
  abi::Sample sample;
};

TEST(PebsSample, TakesItsFieldsFromTheRecord) {
  PebsRecord record;
  record.set(PebsRecord::Basic, auxtrace::pebs_item::Ip, 0x401000);
  record.set(PebsRecord::Memory, auxtrace::pebs_item::Address, 0xda7a);
  record.set(PebsRecord::Memory, auxtrace::pebs_item::Latency, 321);
  const Filled filled(record, 0);
  EXPECT_EQ(filled.sample.ip, 0x401000u);
  EXPECT_EQ(filled.sample.addr, 0xda7au);
  EXPECT_EQ(filled.sample.weight, 321u);
  EXPECT_EQ(filled.sample.period, 1000u);
}

TEST(PebsSample, TakesTheAddressFromRegistersOrKeepsIt) {
  PebsRecord record;
  EXPECT_EQ(Filled(record, 0).sample.ip, 0x99u);
  record.set(PebsRecord::Registers, auxtrace::pebs_item::RegisterIp, 0x401000);
  EXPECT_EQ(Filled(record, 0).sample.ip, 0x401000u);
}

// AX, BX, IP, CS, R8 and half of XMM0; PEBS records have no segment registers.
TEST(PebsSample, PutsRegistersInTheOrderOfTheKernel) {
  PebsRecord record;
  for (unsigned i = 0; i < 18; ++i) record.set(PebsRecord::Registers, i, 100 + i);
  record.set(PebsRecord::Vectors, 1, 777);
  const u64 mask = 1u << 0 | 1u << 1 | 1u << 8 | 1u << 10 | 1u << 16 | u64{1} << 33;
  const Filled filled(record, bit::RegsIntr, mask);
  EXPECT_EQ(filled.sample.interrupt_registers.abi, 2u);
  EXPECT_THAT(filled.sample.interrupt_registers.values, ElementsAre(102, 105, 101, 0, 110, 777));
  EXPECT_EQ(Filled(PebsRecord(), bit::RegsIntr, mask).sample.interrupt_registers.abi, 0u);
}

TEST(PebsSample, PutsBranchesOfAllGroupsInARow) {
  constexpr unsigned kInGroup = 10;
  PebsRecord record;
  for (unsigned i = 0; i < 12; ++i) {
    const u64 values[] = {i + 1, i + 100, i | (i == 11 ? u64{7} << 61 : 0)};
    for (unsigned part = 0; part < 3; ++part)
      record.set(PebsRecord::Branches0 + i / kInGroup, 3 * (i % kInGroup) + part, values[part]);
  }
  record.set(PebsRecord::Branches1, 3 * kInGroup, 77);  // incomplete
  const Filled filled(record, bit::BranchStack);
  ASSERT_EQ(filled.sample.branches.size(), 12u);
  EXPECT_EQ(filled.sample.branches[11].from, 12u);
  EXPECT_EQ(filled.sample.branches[11].to, 111u);
  EXPECT_EQ(filled.sample.branches[11].cycles, 11u);
  EXPECT_TRUE(filled.sample.branches[11].mispredicted);
  EXPECT_TRUE(filled.sample.branches[11].in_transaction);
  EXPECT_TRUE(filled.sample.branches[11].abort);
  EXPECT_TRUE(filled.sample.branches[0].predicted);
}

TEST(PebsSample, HasTheCodeOfAnAbortedTransaction) {
  PebsRecord record;
  record.set(PebsRecord::Memory, auxtrace::pebs_item::Tsx, u64{0x15} << 32 | 0xffffff);
  EXPECT_EQ(Filled(record, bit::Transaction).sample.transaction, 0x15u);
  record.set(PebsRecord::Registers, auxtrace::pebs_item::RegisterAx, 0xab000001);
  EXPECT_EQ(Filled(record, bit::Transaction).sample.transaction, u64{0xab} << 32 | 0x15);
}

}  // namespace
}  // namespace peregrine
