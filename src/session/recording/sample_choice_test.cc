#include "session/recording/sample_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A recording with one event that samples `fields`, and samples from 10 s to 20 s.
data::Reader reader_of_event(const char* fields) {
  support::PerfDataBuilder data;
  data.attr({{"sample", fields}}).feature("sample_time", {{"first", 10'000'000'000}, {"last", 20'000'000'000}});
  return support::open_built(data);
}

TEST(SampleChoice, ShowsSamplesBetweenTheSwitchingEvents) {
  auto gate = find_event_switch({.on = "start", .off = "stop"}, {"cycles", "start", "stop"});
  ASSERT_TRUE(gate);
  EXPECT_TRUE(gate->discards(0));
  EXPECT_TRUE(gate->discards(1));
  EXPECT_FALSE(gate->discards(0));
  EXPECT_TRUE(gate->discards(2));
  EXPECT_TRUE(gate->discards(0));
}

TEST(SampleChoice, SwitchesNothingByDefault) {
  const auto gate = find_event_switch({}, {"cycles"});
  ASSERT_TRUE(gate);
  EXPECT_FALSE(gate->any());
}

TEST(SampleChoice, RejectsUnknownSwitchingEvents) {
  const auto gate = find_event_switch({.on = "cycles", .off = "stop"}, {"cycles"});
  ASSERT_FALSE(gate);
  EXPECT_EQ(gate.error().message, "switch-off event not found (stop)");
}

TEST(SampleChoice, ChoosesCpusIfTheyWereRecorded) {
  const data::Reader reader = reader_of_event("ip,tid,cpu");
  testing::KeptMessages messages;
  SampleFilter filter;
  const auto chosen = choose_cpus("3,0-1", reader.evlist(), filter, messages);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(*chosen);
  EXPECT_THAT(filter.cpus, ElementsAre(0, 1, 3));
  EXPECT_EQ(messages.take(), "");
  EXPECT_EQ(choose_cpus("none", reader.evlist(), filter, messages).error().message, "Invalid cpu_list");
}

TEST(SampleChoice, ReportsThatCpusWereNotRecorded) {
  const data::Reader reader = reader_of_event("ip,tid");
  testing::KeptMessages messages;
  SampleFilter filter;
  EXPECT_TRUE(choose_cpus("", reader.evlist(), filter, messages).value());
  EXPECT_FALSE(choose_cpus("0", reader.evlist(), filter, messages).value());
  EXPECT_EQ(messages.take(), "File does not contain CPU events. Remove -C option to proceed.\n");
}

TEST(SampleChoice, TakesSharesOfTheRecordedTime) {
  const data::Reader reader = reader_of_event("ip,tid,time");
  const auto times = choose_times("0%-10%", reader);
  ASSERT_TRUE(times);
  ASSERT_EQ(times->size(), 1u);
  EXPECT_EQ((*times)[0].from, 10'000'000'000u);
  EXPECT_NEAR(static_cast<double>((*times)[0].to), 11e9, 1);
  EXPECT_TRUE(choose_times("", reader)->empty());
  EXPECT_FALSE(choose_times("1-2-3", reader));
}

TEST(SampleChoice, WarnsThatThereIsNothingToStitch) {
  const data::Reader reader = reader_of_event("ip,tid");
  testing::KeptMessages messages;
  check_stitching(reader.evlist(), messages);
  EXPECT_THAT(messages.take(), HasSubstr("Can't find LBR callchain. Switch off --stitch-lbr."));
}

}  // namespace
}  // namespace peregrine
