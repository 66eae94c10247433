#include "session/recording/traced_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "machine/resolver/resolver.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

class TimesOfSamples : public ReplaySink {
 public:
  void sample(const ReplaySample& sample, Resolver&, unsigned) override { times.push_back(sample.sample.time); }
  std::vector<u64> times;
};

class TracedRecordingTest : public ::testing::Test {
 protected:
  Result<TracedRecording> open(const support::PerfDataBuilder& data) {
    const std::vector<std::byte> bytes = data.bytes();
    const std::string path = folder_.write("perf.data", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return open_traced({.path = path, .temporary_folder = folder_.path()}, {.temporary_folder = folder_.path()},
                       messages_);
  }
  static support::PerfDataBuilder with_cpus(u64 online, u64 available) {
    support::PerfDataBuilder data;
    data.attr({{"sample", "tid,time"}}).feature("nrcpus", {{"online", online}, {"available", available}});
    return data;
  }
  TemporaryFolder folder_;
  testing::KeptMessages messages_;
};

TEST_F(TracedRecordingTest, HasAColumnForEachCpuThatTheHeaderCounts) {
  EXPECT_EQ(open(with_cpus(2, 4))->cpus(), 4u);
  EXPECT_EQ(open(with_cpus(1, u64{1} << 31))->cpus(), 0u) << "an absurd header";
}

TEST_F(TracedRecordingTest, GivesSamplesInTheOrderOfTime) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "tid,time"}, {"flags", "sample_id_all"}});
  for (const u64 time : {30, 10, 20}) data.record("sample", {{"pid", 7}, {"tid", 7}, {"time", time}});
  auto recording = open(data);
  ASSERT_TRUE(recording);
  TimesOfSamples sink;
  EXPECT_TRUE(replay_in_order(*recording, sink, {}, messages_));
  EXPECT_THAT(sink.times, ElementsAre(10, 20, 30));
  EXPECT_EQ(messages_.take(), "");
}

TEST_F(TracedRecordingTest, CountsEachLossOnce) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "tid,time"}, {"flags", "sample_id_all"}});
  data.record("lost", {{"lost", 3}, {"time", 10}}).record("lost", {{"lost", 2}, {"time", 20}});
  data.record("lost_samples", {{"lost", 4}, {"time", 30}});
  auto recording = open(data);
  ASSERT_TRUE(recording);
  TimesOfSamples sink;
  EXPECT_TRUE(replay_in_order(*recording, sink, {}, messages_));
  EXPECT_EQ(recording->lost, 5u) << "the count of the events lacks one that was written as a LOST record";
}

TEST_F(TracedRecordingTest, ReportsAMissingFile) {
  const auto recording = open_traced({.path = folder_.path("none")}, {}, messages_);
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
