// Which events and samples Arm SPE records become for which letters; values of PERF_SAMPLE_DATA_SRC are those that
// linux-perf 6.1 prints for the same trace.
#include "auxtrace/arm_spe/samples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "auxtrace/arm_spe/data_source.h"
#include "auxtrace/arm_spe/packet.h"

namespace peregrine {
namespace {

constexpr u64 kNeoverseN1 = 0x410fd0c0, kNeoverseN2 = 0x410fd490, kNeoverseV1 = 0x411fd401, kCortexA76 = 0x410fd0b0;
constexpr u64 kRecorded = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time | abi::sample_bit::Cpu |
                          abi::sample_bit::Identifier;

ItraceOptions asked(std::string_view letters) { return parse_itrace(letters).value_or(ItraceOptions()); }

SpeEvents events(std::string_view letters, const abi::EventAttr& recorded = {.sample_type = kRecorded}) {
  return spe_events(asked(letters), recorded, 10);
}
std::string names(const SpeEvents& made) {
  std::string text;
  for (const SpeEvent& event : made.events)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", event.name, event.id);
  return text;
}

TEST(SpeEvents, EachLetterHasItsEvents) {
  EXPECT_EQ(names(events("f")), "l1d-miss 1000000010, l1d-access 1000000011");
  EXPECT_EQ(names(events("m")), "llc-miss 1000000010, llc-access 1000000011");
  EXPECT_EQ(names(events("t")), "tlb-miss 1000000010, tlb-access 1000000011");
  EXPECT_EQ(names(events("Mab")), "branch-miss 1000000010, remote-access 1000000011, memory 1000000012");
  EXPECT_EQ(names(events("Mi1i")), "memory 1000000010, instructions 1000000011");
  EXPECT_EQ(names(events("expwI")), "");
}

TEST(SpeEvents, WithoutWordsAllButInstructions) {
  const SpeEvents made = spe_events(default_itrace(true), {.sample_type = kRecorded}, 10);
  EXPECT_EQ(made.events.size(), 9);
  EXPECT_EQ(made.events.back().name, "memory");
  EXPECT_EQ(made.warning, "Only instruction-based sampling period is currently supported by Arm SPE.\n");
}

TEST(SpeEvents, AskForTheFieldsThatARecordFills) {
  namespace bit = abi::sample_bit;
  abi::EventAttr recorded = {
      .type = 8, .sample_period = 1024, .sample_type = kRecorded | bit::PhysAddr | bit::Callchain};
  recorded.set(abi::attr_flag::SampleIdAll | abi::attr_flag::ExcludeGuest | abi::attr_flag::Inherit);
  const abi::EventAttr memory = events("M", recorded).events.at(0).attr;
  EXPECT_EQ(memory.type, 0);
  EXPECT_EQ(memory.config, 0);
  EXPECT_EQ(memory.sample_period, 0);
  EXPECT_EQ(memory.sample_type, kRecorded | bit::PhysAddr | bit::Addr | bit::Period | bit::DataSrc | bit::Weight);
  EXPECT_EQ(memory.flags, abi::attr_flag::SampleIdAll | abi::attr_flag::ExcludeGuest);
}

TEST(SpeEvents, InstructionsHaveAPeriodInInstructions) {
  const SpeEvents made = events("i10i");
  EXPECT_EQ(made.events.at(0).attr.config, 1);
  EXPECT_EQ(made.events.at(0).attr.sample_period, 10);
  EXPECT_EQ(
      made.warning,
      "Arm SPE has a hardware-based sample period.\nAdditional instruction events will be discarded by --itrace\n");
  EXPECT_EQ(events("i1i").warning, "");
  EXPECT_TRUE(events("i10us").events.empty());
}

SpeRecord load_record(u64 of_events, u64 source = 0) {
  return {.from_ip = 0x401000,
          .to_ip = 0x401100,
          .virt_addr = 0x1000,
          .phys_addr = 0x81000,
          .events = of_events,
          .operation = {spe_class::LoadStore, 0},
          .latency = 33,
          .data_source = source};
}

std::string samples(std::string_view letters, const SpeRecord& record) {
  SpeSampler sampler(asked(letters), kNeoverseN1);
  std::vector<SpeSample> out;
  sampler.add(record, out);
  const SpeEvents made = events("fmtbaMi1i");
  std::string text;
  for (const SpeSample& sample : out)
    text += fmt::format("{}{}", text.empty() ? "" : " ", made.events.at(static_cast<std::size_t>(sample.event)).name);
  return text;
}

TEST(SpeSamples, ARecordIsASampleOfEachEventThatItIsOf) {
  EXPECT_EQ(samples("fmtabM", load_record(0x16)), "l1d-access tlb-access memory");
  EXPECT_EQ(samples("fmtabM", load_record(0x3e)), "l1d-miss l1d-access tlb-miss tlb-access memory");
  EXPECT_EQ(samples("fmtabM", load_record(0x71e)),
            "l1d-miss l1d-access llc-miss llc-access tlb-access remote-access memory");
  EXPECT_EQ(samples("fM", load_record(0x71e)), "l1d-miss l1d-access memory");
}

TEST(SpeSamples, MemoryIsWhatLoadsOrStores) {
  SpeRecord record = load_record(2);
  EXPECT_EQ(samples("Mi1i", record), "memory instructions");
  record.operation = {spe_class::Branch, 1};
  EXPECT_EQ(samples("Mi1i", record), "instructions");
  record.operation = {spe_class::Other, 8};  // a vector operation in registers
  EXPECT_EQ(samples("Mi1i", record), "instructions");
}

TEST(SpeSamples, CarryWhatTheRecordSays) {
  SpeSampler sampler(asked("Mb"), kNeoverseN1);
  std::vector<SpeSample> out;
  sampler.add(load_record(0x96, 8), out);
  ASSERT_EQ(out.size(), 2);
  EXPECT_EQ(out[0], (SpeSample{.event = SpeEventKind::BranchMiss, .ip = 0x401000, .addr = 0x401100, .weight = 33}));
  EXPECT_EQ(out[1], (SpeSample{.event = SpeEventKind::Memory,
                               .ip = 0x401000,
                               .addr = 0x1000,
                               .phys_addr = 0x81000,
                               .weight = 33,
                               .data_src = 0x488100442}));
}

TEST(SpeSamples, InstructionsAreEveryNthRecord) {
  SpeSampler sampler(asked("i3i"), 0);
  std::vector<SpeSample> out;
  for (u64 i = 0; i < 7; ++i) {
    SpeRecord record = load_record(2);
    record.from_ip += 16 * i;
    sampler.add(record, out);
  }
  ASSERT_EQ(out.size(), 2);
  EXPECT_EQ(out[0].ip, 0x401020);
  EXPECT_EQ(out[1].ip, 0x401050);
  EXPECT_EQ(out[0].period, 3);
}

TEST(SpeSamples, PeriodZeroIsEachRecord) {
  SpeSampler sampler(asked("i0i"), 0);
  std::vector<SpeSample> out;
  sampler.add(load_record(2), out);
  sampler.add(load_record(2), out);
  ASSERT_EQ(out.size(), 2);
  EXPECT_EQ(out[0].period, 0);
}

TEST(SpeSamples, DamagedRecordsGiveNone) {
  SpeRecord record = load_record(0x16);
  record.damaged = true;
  EXPECT_EQ(samples("fMi1i", record), "");
}

TEST(SpeDataSource, OfNeoverseCoresIsInThePacket) {
  for (const auto& [source, word] : std::initializer_list<std::pair<u64, u64>>{{0x0, 0x288100142},
                                                                               {0x1, 0x88000002},
                                                                               {0x8, 0x488100442},
                                                                               {0x9, 0x8488000442},
                                                                               {0xa, 0x8688000842},
                                                                               {0xb, 0x688200842},
                                                                               {0xc, 0x8688000842},
                                                                               {0xd, 0xbe88000022},
                                                                               {0xe, 0x1a88101042},
                                                                               {0xf, 0x88000002},
                                                                               {0x1234, 0x88000002}}) {
    for (const u64 midr : {kNeoverseN1, kNeoverseN2, kNeoverseV1})
      EXPECT_EQ(spe_data_source(load_record(0x16, source), midr), word) << source;
  }
  SpeRecord store = load_record(0x2e, 9);
  store.operation.subclass = 1;
  EXPECT_EQ(spe_data_source(store, kNeoverseN1), 0x1e90080024);
}

TEST(SpeDataSource, IsDerivedFromEventsOnUnknownCores) {
  for (const auto& [of_events, word] : std::initializer_list<std::pair<u64, u64>>{{0x16, 0x88000142},
                                                                                  {0x02, 0x2},
                                                                                  {0x04, 0x142},
                                                                                  {0x0c, 0x182},
                                                                                  {0x10, 0x88000002},
                                                                                  {0x20, 0x90000002},
                                                                                  {0x100, 0x842},
                                                                                  {0x300, 0x882},
                                                                                  {0x400, 0x2000000002},
                                                                                  {0x404, 0x2000000142},
                                                                                  {0x60c, 0x2000000882}})
    for (const u64 midr : {u64{0}, kCortexA76})
      EXPECT_EQ(spe_data_source(load_record(of_events, 8), midr), word) << of_events;
}

TEST(SpeDataSource, MidrComesFromTheHeader) {
  EXPECT_EQ(midr_of("0x00000000410fd0c0"), kNeoverseN1);
  EXPECT_EQ(midr_of("410fd0c0"), kNeoverseN1);
  EXPECT_EQ(midr_of("GenuineIntel-6-55-7"), 0);
  EXPECT_EQ(midr_of(""), 0);
}

}  // namespace
}  // namespace peregrine
