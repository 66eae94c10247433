#include "analysis/hist/picture/lanes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/attr.h"
#include "abi/sample.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Samples of events 0 (cycles) and 1 (off-CPU time, if `waits`), aggregated for a time line.
struct LanesTest : ::testing::Test {
  LanesTest() { begin(1); }
  void begin(unsigned workers, u64 step = 1) {
    collector = std::make_unique<LaneCollector>(std::vector<bool>{false, true}, step);
    collector->begin(workers);
  }
  struct Given {
    u32 tid = 1;
    u64 time = 0, period = 1;
    u32 event = 0;
    std::optional<u32> cpu = {};
    unsigned worker = 0;
  };
  void add(const Given& given) {
    abi::Sample sample;
    if (given.cpu) sample.fields = abi::sample_bit::Cpu;
    sample.cpu = given.cpu.value_or(0);
    sample.time = given.time;
    Resolver::Context context;
    context.thread.pid = 7;
    context.thread.tid = given.tid;
    collector->sample({.sample = sample,
                       .context = context,
                       .event = given.event,
                       .period = given.period,
                       .moment = 1,
                       .file_offset = 0},
                      resolver, given.worker);
  }
  Lanes lanes(LaneRequest request = {}) const {
    if (request.events.empty()) request.events = {0, 1};
    if (request.slot_length == 0) request.slot_length = 100;
    if (request.slots == 0) request.slots = 10;
    return collector->lanes(machine, request);
  }
  // "series lane slot samples/period" for each weight.
  static std::vector<std::string> weights(const Lanes& lanes) {
    std::vector<std::string> result;
    for (const LaneWeight& weight : lanes.weights)
      result.push_back(
          fmt::format("{} {} {} {}/{}", weight.series, weight.lane, weight.slot, weight.samples, weight.period));
    return result;
  }

  Machine machine;
  Resolver resolver{machine};
  std::unique_ptr<LaneCollector> collector;
};

TEST_F(LanesTest, ThreadsComeBusiestFirstThenCpus) {
  add({.tid = 1, .time = 50, .period = 10, .cpu = 3});
  add({.tid = 2, .time = 150, .period = 30, .cpu = 0});
  add({.tid = 1, .time = 160, .period = 5, .cpu = 0});
  const Lanes made = lanes();
  ASSERT_EQ(made.lanes.size(), 4u);
  EXPECT_EQ(made.lanes[0].tid, 2u);
  EXPECT_EQ(made.lanes[0].name, ":2") << "no record names it";
  EXPECT_EQ(made.lanes[1].tid, 1u);
  EXPECT_EQ(made.lanes[2].cpu, 0u);
  EXPECT_EQ(made.lanes[3].cpu, 3u);
  EXPECT_THAT(weights(made), ElementsAre("0 0 1 1/30", "0 1 0 1/10", "0 1 1 1/5", "0 2 1 2/35", "0 3 0 1/10"));
}

TEST_F(LanesTest, SamplesWithoutACpuOrWithAnImpossibleOneHaveNoCpuLane) {
  add({.time = 50});
  add({.time = 50, .cpu = ~0u - 1});
  const Lanes made = lanes();
  ASSERT_EQ(made.lanes.size(), 1u);
  EXPECT_THAT(weights(made), ElementsAre("0 0 0 2/2"));
}

TEST_F(LanesTest, TimesBeforeAndAfterTheLineAreItsFirstAndLastSlot) {
  add({.time = 5});
  add({.time = 100'000});
  EXPECT_THAT(weights(lanes({.start = 1000})), ElementsAre("0 0 0 1/1", "0 0 9 1/1"));
}

TEST_F(LanesTest, AWaitEndsAtItsSampleAndLastsItsPeriod) {
  add({.time = 900, .period = 1});                // the last sample other than a wait
  add({.time = 350, .period = 200, .event = 1});  // from 150 to 350
  const Lanes made = lanes();
  EXPECT_THAT(weights(made), ElementsAre("0 0 9 1/1", "1 0 1 1/50", "1 0 2 0/100", "1 0 3 0/50"));
  EXPECT_EQ(made.lanes[0].waited, 200u);
}

TEST_F(LanesTest, AWaitLongerThanTheLineBeginsWithIt) {
  add({.time = 5000});
  add({.time = 1150, .period = 4000, .event = 1});
  EXPECT_THAT(weights(lanes({.start = 1000})), ElementsAre("0 0 9 1/1", "1 0 0 1/100", "1 0 1 0/50"));
}

// The kernel sums some waits until the end of the recording and reports them after all other samples.
TEST_F(LanesTest, WaitsThatWereSummedHaveNoPlaceInTime) {
  add({.time = 300, .period = 1});
  add({.time = 999, .period = 700, .event = 1});
  const Lanes made = lanes();
  EXPECT_THAT(weights(made), ElementsAre("0 0 3 1/1"));
  EXPECT_EQ(made.lanes[0].waited, 700u);
}

TEST_F(LanesTest, TheThreadsBeyondTheLimitShareALane) {
  for (u32 tid = 1; tid <= 5; ++tid) add({.tid = tid, .time = 50, .period = 100 - tid});
  const Lanes made = lanes({.threads = 2});
  ASSERT_EQ(made.lanes.size(), 3u);
  EXPECT_EQ(made.lanes[0].tid, 1u);
  EXPECT_EQ(made.lanes[1].tid, 2u);
  EXPECT_EQ(made.lanes[1].joined, 0u);
  EXPECT_EQ(made.lanes[2].joined, 3u);
  EXPECT_EQ(made.lanes[2].tid, 0u);
  EXPECT_THAT(weights(made), ElementsAre("0 0 0 1/99", "0 1 0 1/98", "0 2 0 3/288"));
}

TEST_F(LanesTest, SlotsAreJoinedUntilAllFit) {
  add({.tid = 1, .time = 0});
  add({.tid = 2, .time = 399});
  const Lanes made = lanes({.slot_length = 1, .slots = 400, .weights = 400});
  EXPECT_EQ(made.slots, 200u) << "two lanes of 200";
  EXPECT_EQ(made.slot_length, 2u);
  EXPECT_EQ(lanes({.slot_length = 1, .slots = 400, .weights = 1}).slots, 50u) << "but fifty are always left";
}

TEST_F(LanesTest, EventsThatWereNotRequestedAreNotShown) {
  add({.tid = 1, .time = 50, .event = 0, .cpu = 1});
  add({.tid = 2, .time = 50, .event = 2, .cpu = 2});
  const Lanes made = lanes({.events = {2}});
  ASSERT_EQ(made.lanes.size(), 2u);
  EXPECT_EQ(made.lanes[0].tid, 2u);
  EXPECT_EQ(made.lanes[1].cpu, 2u);
  EXPECT_THAT(weights(made), ElementsAre("0 0 0 1/1", "0 1 0 1/1")) << "series 0 is the first requested event";
}

TEST_F(LanesTest, WorkersTogetherCountWhatOneCounts) {
  const auto fill = [&](unsigned workers) {
    begin(workers, 10);
    for (u32 at = 0; at < 300; ++at)
      add({.tid = at % 7, .time = at * 3, .period = at, .event = at % 5 == 0, .cpu = at % 4, .worker = at % workers});
    return lanes();
  };
  const Lanes one = fill(1), four = fill(4);
  EXPECT_EQ(weights(one), weights(four));
  EXPECT_GT(one.weights.size(), 20u);
}

TEST_F(LanesTest, WithoutATimeLineThereAreNone) {
  add({.time = 50});
  EXPECT_THAT(collector->lanes(machine, {.events = {0}}).lanes, IsEmpty());
  EXPECT_THAT(collector->lanes(machine, {.events = {0}, .slot_length = 10, .slots = 1}).lanes, IsEmpty());
}

}  // namespace
}  // namespace peregrine
