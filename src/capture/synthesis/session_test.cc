#include "capture/synthesis/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "support/synthesized_records.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// The only record in `out`.
abi::RecordView only_record(const ByteWriter& out) {
  const auto records = support::records_in(out);
  EXPECT_EQ(records.size(), 1u);
  EXPECT_EQ(out.bytes().size() % 8, 0u);
  return records.empty() ? abi::RecordView() : records[0];
}

template <class T>
T decoded_session(const ByteWriter& out) {
  const auto record = abi::decode_session_record(only_record(out));
  if (record && *record && std::holds_alternative<T>(**record)) return std::get<T>(**record);
  ADD_FAILURE() << "another record";
  return {};
}

TEST(SynthesizeIdIndex, KeepsEachEntry) {
  ByteWriter out;
  synthesize_id_index({{.id = 5, .ring = 1, .cpu = 2, .tid = ~u64{0}}, {.id = 6, .ring = 0, .cpu = ~u64{0}, .tid = 9}},
                      out);
  const auto index = decoded_session<abi::IdIndexRecord>(out);
  ASSERT_EQ(index.entries.size(), 2u);
  EXPECT_EQ(index.entries[0].id, 5u);
  EXPECT_EQ(index.entries[0].index, 1u);
  EXPECT_EQ(index.entries[0].tid, ~u64{0});
  EXPECT_EQ(index.entries[1].cpu, ~u64{0});
  EXPECT_TRUE(index.guests.empty());
}

TEST(SynthesizeIdIndex, WritesNothingForNoEntries) {
  ByteWriter out;
  synthesize_id_index({}, out);
  EXPECT_EQ(out.size(), 0u);
}

TEST(SynthesizeIdIndex, IsSplitAtTheRecordLimit) {
  const std::vector<IdIndexEntry> entries(5000);
  ByteWriter out;
  synthesize_id_index(entries, out);
  u64 total = 0;
  for (const auto& record : support::records_in(out)) total += load<u64>(record.bytes.data() + 8);
  EXPECT_EQ(total, entries.size());
}

TEST(SynthesizeCpuMap, IsARangeOrAList) {
  ByteWriter out;
  synthesize_cpu_map({0, 1, 2}, out);
  synthesize_cpu_map({0, 2}, out);
  synthesize_cpu_map({-1}, out);
  const auto records = support::records_in(out);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(load<u16>(records[0].bytes.data() + 8), 2u);  // range
  EXPECT_EQ(load<u16>(records[1].bytes.data() + 8), 0u);  // list
  EXPECT_EQ(load<u16>(records[2].bytes.data() + 12), 0xffffu);
}

TEST(SynthesizeThreadMap, CutsNamesToTheKernelsLength) {
  ByteWriter out;
  synthesize_thread_map({{.tid = 7, .comm = "exactly15bytes!"}, {.tid = 8, .comm = "longer than the kernel's"}, {}},
                        out);
  const auto map = decoded_session<abi::ThreadMapRecord>(out);
  ASSERT_EQ(map.threads.size(), 3u);
  EXPECT_EQ(map.threads[0].comm, "exactly15bytes!");
  EXPECT_EQ(map.threads[1].comm, "longer than the");
  EXPECT_EQ(map.threads[2].comm, "");
  EXPECT_EQ(static_cast<i64>(map.threads[2].tid), -1) << "every thread";
}

TEST(SynthesizeThreadMap, KeepsWhatFitsInOneRecord) {
  ByteWriter out;
  synthesize_thread_map(std::vector<ThreadMapEntry>(10'000, {.tid = 1, .comm = "many"}), out);
  EXPECT_LE(out.size(), 0xffffu);
  EXPECT_EQ(decoded_session<abi::ThreadMapRecord>(out).threads.size(), 2729u);
}

TEST(SynthesizeCpuMap, ReadsBackAsTheSameCpus) {
  for (const CpuList& cpus : {CpuList{0}, CpuList{0, 1, 2, 3}, CpuList{1, 3, 700}, CpuList{5, 6}}) {
    ByteWriter out;
    synthesize_cpu_map(cpus, out);
    std::vector<u32> wanted(cpus.begin(), cpus.end());
    EXPECT_EQ(decoded_session<abi::CpuMapRecord>(out).cpus, wanted);
  }
}

TEST(SynthesizeTimeConversion, KeepsTheClock) {
  ByteWriter out;
  synthesize_time_conversion({.time_shift = 31,
                              .time_mult = 0x5555'0001,
                              .time_zero = 0xffff'ffff'0000'0001,
                              .time_cycles = 3,
                              .time_mask = 0xff,
                              .user_time_short = true},
                             out);
  const auto clock = decoded_session<abi::TimeConvRecord>(out);
  EXPECT_EQ(clock.shift, 31u);
  EXPECT_EQ(clock.multiplier, 0x5555'0001u);
  EXPECT_EQ(clock.zero, 0xffff'ffff'0000'0001u);
  EXPECT_TRUE(clock.has_cycles);
  EXPECT_TRUE(clock.cap_zero);
  EXPECT_TRUE(clock.cap_short);
  EXPECT_EQ(clock.mask, 0xffu);
}

TEST(SynthesizeStat, KeepsAReadingOfAllCpus) {
  ByteWriter out;
  synthesize_stat({.id = 9, .cpu = -1, .thread = 2, .value = ~u64{0}, .enabled = 5, .running = 4}, out);
  const auto reading = decoded_session<abi::StatRecord>(out);
  EXPECT_EQ(reading.id, 9u);
  EXPECT_EQ(reading.cpu, -1);
  EXPECT_EQ(reading.thread, 2u);
  EXPECT_EQ(reading.value, ~u64{0});
  EXPECT_EQ(reading.running, 4u);
}

TEST(SynthesizeStat, TellsIntervalsFromTheEnd) {
  for (const bool last : {false, true}) {
    ByteWriter out;
    synthesize_stat_round({.last = last, .time = 123}, out);
    const auto round = decoded_session<abi::StatRoundRecord>(out);
    EXPECT_EQ(round.last, last);
    EXPECT_EQ(round.time, 123u);
  }
}

TEST(SynthesizeStat, KeepsSettings) {
  ByteWriter out;
  synthesize_stat_config({.entries = {{.tag = 0, .value = 3}, {.tag = 1, .value = 1000}}}, out);
  const auto settings = decoded_session<abi::StatConfigRecord>(out);
  ASSERT_EQ(settings.entries.size(), 2u);
  EXPECT_EQ(settings.entries[1].tag, 1u);
  EXPECT_EQ(settings.entries[1].value, 1000u);
}

TEST(SynthesizeSchedstat, KeepsNarrowAndWideCounters) {
  abi::SchedstatRecord line{.time = 4, .cpu = 2, .version = 15, .domain = {}, .counters = {}};
  line.values = {1, 2, 3, 4, 5, 6, u64{1} << 40, 8, 9};
  ByteWriter out;
  synthesize_schedstat(line, out);
  const auto read = decoded_session<abi::SchedstatRecord>(out);
  EXPECT_EQ(read.cpu, 2u);
  EXPECT_FALSE(read.domain);
  EXPECT_EQ(read.values, line.values);
}

TEST(SynthesizeSchedstat, PadsADomainWithAnOddNumberOfCounters) {
  abi::SchedstatRecord line{.time = 4, .cpu = 2, .version = 17, .domain = u16{1}, .counters = {}};
  for (u64 i = 0; i < abi::schedstat_domain_counters(17); ++i) line.values.push_back(i);
  ByteWriter out;
  synthesize_schedstat(line, out);
  const auto read = decoded_session<abi::SchedstatRecord>(out);
  EXPECT_EQ(read.domain, u16{1});
  EXPECT_EQ(read.values, line.values);
}

TEST(SynthesizeLostSamples, NamesTheEventInItsTrailer) {
  abi::EventAttr attr;
  attr.sample_type = abi::sample_bit::Tid | abi::sample_bit::Time | abi::sample_bit::Id | abi::sample_bit::Cpu |
                     abi::sample_bit::Identifier;
  attr.set(abi::attr_flag::SampleIdAll);
  ByteWriter out;
  synthesize_lost_samples(attr, 77, 3, 1000, out);
  abi::SideBandScratch scratch;
  const auto side_band = abi::decode_side_band(only_record(out), attr, scratch);
  ASSERT_TRUE(side_band && *side_band);
  EXPECT_EQ(std::get<abi::LostSamplesRecord>((*side_band)->body).lost, 1000u);
  EXPECT_EQ((*side_band)->id.id, 77u);
  EXPECT_EQ((*side_band)->id.cpu, 3u);
}

TEST(SynthesizeLostSamples, HasNoTrailerWithoutSampleIds) {
  ByteWriter out;
  synthesize_lost_samples({}, 77, 3, 1000, out);
  EXPECT_EQ(out.size(), 16u);
}

TEST(SynthesizeFinished, RecordsAreOnlyHeaders) {
  ByteWriter init, round;
  synthesize_finished_init(init);
  synthesize_finished_round(round);
  EXPECT_EQ(only_record(init).type, abi::RecordType::FinishedInit);
  EXPECT_EQ(only_record(round).type, abi::RecordType::FinishedRound);
  EXPECT_EQ(round.size(), 8u);
}

}  // namespace
}  // namespace peregrine
