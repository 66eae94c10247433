#include "pipeline/counting/stat_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using support::PerfDataBuilder;
using ::testing::ElementsAre;

// Two counters, with ids 1 and 2, for threads 11 and 12, as `stat record` writes them.
class CountedRecording : public ::testing::Test {
 protected:
  CountedRecording() {
    builder.attr({{"name", "cycles"}, {"type", 0}, {"sample", "identifier"}, {"ids", 1}});
    builder.attr({{"name", "instructions"}, {"type", 0}, {"config", 1}, {"sample", "identifier"}, {"ids", 2}});
    builder.feature("event_desc");
    builder.record("thread_map", {{"count", 2},
                                  {"entries",
                                   "0b00000000000000"
                                   "61000000000000000000000000000000"
                                   "0c00000000000000"
                                   "62000000000000000000000000000000"}});
    builder.record("cpu_map", {{"kind", 0},
                               {"cpus",
                                "02000000"
                                "0100"}});
    builder.record("stat_config", {{"count", 3},
                                   {"entries",
                                    "0000000000000000"
                                    "0300000000000000"  // aggregation 3
                                    "0100000000000000"
                                    "e803000000000000"  // interval 1000 ms
                                    "0200000000000000"
                                    "0000000000000000"}});  // not scaled
  }
  void counted(u64 id, u64 cpu, u64 thread, u64 value) {
    builder.record(
        "stat",
        {{"of_id", id}, {"on_cpu", cpu}, {"thread", thread}, {"count", value}, {"enabled", 20}, {"running", 10}});
  }
  void round(u64 time, bool last) { builder.record("stat_round", {{"last", last}, {"at", time}}); }

  data::Reader reader() { return support::open_built(builder); }
  static std::vector<std::string> lines(const StatRound& round) {
    std::vector<std::string> result;
    for (const CounterReading& reading : round.readings)
      result.push_back(fmt::format("{} cpu {} tid {}: {}", reading.event, reading.cpu, reading.thread, reading.value));
    return result;
  }

  PerfDataBuilder builder;
};

TEST_F(CountedRecording, SettingsAreKnownAfterOpening) {
  round(1, true);
  data::Reader data = reader();
  const auto stat = StatReader::open(data);
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(stat->aggregation(), 3u);
  EXPECT_EQ(stat->interval_ms(), 1000u);
  EXPECT_FALSE(stat->scale());
  ASSERT_EQ(stat->threads().size(), 2u);
  EXPECT_EQ(stat->threads()[1].thread, 12);
  EXPECT_EQ(stat->threads()[1].comm, "b");
  EXPECT_EQ(stat->events().size(), 2u);
}

TEST_F(CountedRecording, EachRoundHasTheTotalsSoFarSorted) {
  counted(2, 1, 0, 7);
  counted(1, 0, 1, 100);
  counted(1, 0, 0, 50);
  round(1'000'000'000, false);
  counted(1, 0, 0, 60);
  round(2'000'000'000, true);
  data::Reader data = reader();
  auto stat = StatReader::open(data);
  ASSERT_TRUE(stat) << stat.error().message;
  const auto first = stat->next();
  ASSERT_TRUE(first && *first);
  EXPECT_THAT(lines(**first), ElementsAre("0 cpu 0 tid 11: 50", "0 cpu 0 tid 12: 100", "1 cpu 1 tid 11: 7"));
  EXPECT_EQ((*first)->since_start_ns, 1'000'000'000u);
  EXPECT_FALSE((*first)->last);
  const auto second = stat->next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ(lines(**second)[0], "0 cpu 0 tid 11: 60") << "what was not read again keeps its total";
  EXPECT_EQ(lines(**second).size(), 3u);
  EXPECT_TRUE((*second)->last);
  const auto end = stat->next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST_F(CountedRecording, ReadingsOfNothingKnownAreCounted) {
  counted(99, 0, 0, 1);
  counted(1, 0, 5, 1);
  counted(1, 0, 0, 2);
  round(1, true);
  data::Reader data = reader();
  auto stat = StatReader::open(data);
  ASSERT_TRUE(stat);
  const auto only = stat->next();
  ASSERT_TRUE(only && *only);
  EXPECT_THAT(lines(**only), ElementsAre("0 cpu 0 tid 11: 2"));
  EXPECT_EQ(stat->unknown_readings(), 2u);
}

TEST(CountlessRecording, IsMalformed) {
  PerfDataBuilder builder;
  builder.attr({{"type", 0}, {"sample", "ip,tid,time"}});
  builder.record("sample", {{"ip", 1}, {"pid", 7}, {"tid", 7}, {"time", 1}, {"misc", 2}});
  data::Reader data = support::open_built(builder);
  const auto stat = StatReader::open(data);
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace peregrine
