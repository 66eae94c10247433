#include "analysis/block/block_report.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "abi/blktrace_record.h"
#include "analysis/block/block_totals.h"

namespace peregrine {
namespace {

using abi::BlockAction;

constexpr u32 kReportedDisk = 8u << 20;

class BlockStory {
 public:
  explicit BlockStory(std::vector<BlockKey> keys = {})
      : report({.keys = std::move(keys), .device_name = [](u32) { return std::string("sda"); }}) {}

  void event(u64 time, BlockAction action, u64 sector, u32 sectors, std::string_view comm = "dd", u64 number = 0) {
    BlockEvent event;
    event.record.time = time;
    event.record.action = static_cast<u8>(action);
    event.record.traits = abi::traits_of(action) | abi::block_trait::Write;
    event.record.sector = sector;
    event.record.bytes = sectors << 9;
    event.record.pid = 7;
    event.record.device = event.group = kReportedDisk;
    const auto payload = abi::encode_block_number(number);
    event.record.pdu = payload;
    event.comm = comm;
    report.add(event);
    totals.add(event);
  }
  // Of 8 sectors.
  void request(u64 sector, u64 queued, u64 issued, u64 completed) {
    event(queued, BlockAction::Queue, sector, 8);
    event(issued, BlockAction::Issue, sector, 8);
    event(completed, BlockAction::Complete, sector, 8);
  }
  const BlockTimes& times(BlockPhase phase) const { return report.all()[static_cast<std::size_t>(phase)]; }
  const BlockActivity& disk() const { return report.devices().at(kReportedDisk).activity; }

  BlockReport report;
  BlockTotals totals;
};

TEST(BlockReport, MeasuresEachPhase) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 8, 8);
  story.event(110, BlockAction::GetRequest, 8, 8);
  story.event(130, BlockAction::Insert, 8, 8);
  story.event(160, BlockAction::Issue, 8, 8);
  story.event(200, BlockAction::Complete, 8, 8);
  EXPECT_EQ(story.times(BlockPhase::Q2G).sum(), 10u);
  EXPECT_EQ(story.times(BlockPhase::G2I).sum(), 20u);
  EXPECT_EQ(story.times(BlockPhase::I2D).sum(), 30u);
  EXPECT_EQ(story.times(BlockPhase::D2C).sum(), 40u);
  EXPECT_EQ(story.times(BlockPhase::Q2C).sum(), 100u);
  EXPECT_EQ(story.times(BlockPhase::Q2Q).count(), 0u);
}

TEST(BlockReport, IssuesRequeuedRequestsAgain) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 8, 8);
  story.event(110, BlockAction::Issue, 8, 8);
  story.event(120, BlockAction::Requeue, 8, 8);
  story.event(140, BlockAction::Issue, 8, 8);
  story.event(160, BlockAction::Complete, 8, 8);
  story.request(16, 200, 210, 240);
  EXPECT_EQ(story.disk().active_periods, 3u) << "until the requeue, after it, and of the second request";
  EXPECT_EQ(story.disk().active_time, 10u + 20u + 30u);
  EXPECT_EQ(story.disk().waiting_at_queue, 0u);
  EXPECT_EQ(story.times(BlockPhase::D2C).sum(), 20u + 30u);
}

TEST(BlockReport, MeasuresQueueToIssueOnlyOfIssuedRequests) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 8, 8);
  story.event(1000, BlockAction::Complete, 8, 8);
  story.request(8, 2000, 2010, 2100);
  ASSERT_EQ(story.report.processes().size(), 1u);
  const BlockIoRow& row = *story.report.processes().front();
  EXPECT_EQ(row.queue_to_issue.count(), 1u);
  EXPECT_EQ(row.queue_to_issue.sum(), 10u);
}

TEST(BlockReport, SurvivesTimesAtTheEndOfTheirRange) {
  BlockStory story;
  story.request(8, 1, 2, ~u64{0});
  EXPECT_EQ(story.times(BlockPhase::Q2C).sum(), ~u64{0} - 1);
  EXPECT_LE(story.disk().timeline.steps().size(), BlockTimeline::kMostSteps);
}

TEST(BlockReport, BeginsWithTheEarliestEvent) {
  BlockStory story;
  story.request(8, 1000, 1001, 0);
  story.event(1002, BlockAction::Issue, 16, 8);
  EXPECT_EQ(story.disk().first, 0u);
  ASSERT_EQ(story.disk().idle().size(), 1u);
  EXPECT_EQ(story.disk().idle().front().start, 0u);
}

TEST(BlockReport, CompletesAllMergedRequests) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 8, 8);
  story.event(105, BlockAction::GetRequest, 8, 8);
  story.event(120, BlockAction::Queue, 16, 8);
  story.event(121, BlockAction::BackMerge, 16, 8);
  story.event(150, BlockAction::Issue, 8, 16);
  story.event(190, BlockAction::Complete, 8, 16);
  EXPECT_EQ(story.times(BlockPhase::Q2M).sum(), 1u);
  EXPECT_EQ(story.times(BlockPhase::M2D).sum(), 29u);
  EXPECT_EQ(story.times(BlockPhase::D2C).count(), 2u);
  EXPECT_EQ(story.times(BlockPhase::Q2C).sum(), 90u + 70u);
  EXPECT_EQ(story.times(BlockPhase::Q2Q).sum(), 20u);
  EXPECT_EQ(story.disk().queued, 2u);
  EXPECT_EQ(story.disk().issued, 1u);
}

TEST(BlockReport, FollowsBothPartsOfASplitRequest) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 0, 16);
  story.event(101, BlockAction::Split, 0, 0, "dd", 8);
  for (const u64 sector : {0, 8}) {
    story.event(110 + sector, BlockAction::Issue, sector, 8);
    story.event(120 + sector, BlockAction::Complete, sector, 8);
  }
  EXPECT_EQ(story.times(BlockPhase::Q2C).count(), 2u);
  EXPECT_EQ(story.times(BlockPhase::Q2C).sum(), 20u + 28u);
}

TEST(BlockReport, IgnoresEventsWithoutARequest) {
  BlockStory story;
  story.event(90, BlockAction::Complete, 8, 8);
  story.event(95, BlockAction::Issue, 8, 8);
  story.event(96, BlockAction::GetRequest, 8, 8);
  EXPECT_EQ(story.times(BlockPhase::Q2C).count(), 0u);
  EXPECT_EQ(story.times(BlockPhase::Q2G).count(), 0u);
}

TEST(BlockReport, GroupsByAnyKeys) {
  BlockStory story({BlockKey::Device, BlockKey::Comm, BlockKey::Kind});
  for (const std::string_view comm : {"dd", "dd", "cat"}) {
    story.event(100, BlockAction::Queue, 8, 8, comm);
    story.event(comm == "cat" ? 110 : 200, BlockAction::Complete, 8, 8);
  }
  const auto rows = story.report.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->labels, (std::vector<std::string>{"sda", "dd", "W"}));
  EXPECT_EQ(rows[0]->writes, 2u);
  EXPECT_EQ(rows[0]->write_bytes, 8192u);
  EXPECT_EQ(rows[1]->labels[1], "cat");
}

TEST(BlockReport, CountsSeeksFromTheNearerEndOfTheLastRequest) {
  BlockStory story;
  story.event(100, BlockAction::Queue, 100, 8);  // 100 from the start of the disk
  story.event(101, BlockAction::Queue, 108, 8);  // adjacent
  story.event(102, BlockAction::Queue, 90, 8);   // 18 before the start of the last one
  const BlockSeeks& seeks = story.disk().queue_seeks;
  EXPECT_EQ(seeks.count(), 3u);
  EXPECT_DOUBLE_EQ(seeks.mean(), (100 + 0 + 18) / 3.0);
  story.event(103, BlockAction::Queue, 82, 8);  // ends where the last one starts
  EXPECT_EQ(seeks.mode().distance, 0);
  EXPECT_EQ(seeks.mode().count, 2u);
  EXPECT_EQ(seeks.median(), 0);
}

TEST(BlockReport, KnowsActiveAndIdlePeriods) {
  BlockStory story;
  story.request(8, 100, 110, 150);
  story.request(16, 400, 450, 500);
  EXPECT_EQ(story.disk().active_periods, 2u);
  EXPECT_EQ(story.disk().active_time, 90u);
  EXPECT_EQ(story.disk().span(), 400u);
  EXPECT_EQ(story.disk().most_depth, 1u);
  ASSERT_EQ(story.disk().idle().size(), 1u);
  EXPECT_EQ(story.disk().idle()[0].start, 150u);
  EXPECT_EQ(story.disk().idle()[0].duration, 300u);
}

TEST(BlockReport, MeasuresPlugs) {
  BlockStory story;
  story.event(100, BlockAction::Plug, 0, 0);
  story.event(130, BlockAction::Unplug, 0, 0, "dd", 3);
  story.event(140, BlockAction::Plug, 0, 0);
  story.event(150, BlockAction::TimedUnplug, 0, 0, "dd", 1);
  EXPECT_EQ(story.disk().unplugs, 1u);
  EXPECT_EQ(story.disk().timed_unplugs, 1u);
  EXPECT_EQ(story.disk().unplugged, 3u);
  EXPECT_EQ(story.disk().plugged_time, 40u);
}

TEST(BlockTotals, CountRequestsPerCpuAndTheDepthOfTheDriver) {
  BlockStory story;
  for (const u64 sector : {8, 16}) {
    story.event(100, BlockAction::Queue, sector, 8);
    story.event(110, BlockAction::Issue, sector, 8);
  }
  story.event(150, BlockAction::Complete, 8, 8);
  const BlockDeviceTotals& disk = story.totals.devices().at(kReportedDisk);
  const BlockSums sums = disk.sums();
  EXPECT_EQ(sums.queued.writes.requests, 2u);
  EXPECT_EQ(sums.dispatched.writes.bytes, 8192u);
  EXPECT_EQ(sums.completed.writes.requests, 1u);
  EXPECT_EQ(disk.write_depth, 2u);
  EXPECT_EQ(disk.events, 5u);
}

TEST(BlockTimes, HavePercentilesWithinAThirtySecond) {
  BlockTimes times;
  EXPECT_EQ(times.percentile(0.5), 0u);
  for (u64 value = 1; value <= 1000; ++value) times.add(value * 1000);
  EXPECT_EQ(times.count(), 1000u);
  EXPECT_EQ(times.least(), 1000u);
  EXPECT_EQ(times.most(), 1'000'000u);
  EXPECT_NEAR(static_cast<double>(times.percentile(0.5)), 500e3, 500e3 / 32);
  EXPECT_NEAR(static_cast<double>(times.percentile(0.99)), 990e3, 990e3 / 32);
  EXPECT_EQ(times.percentile(1), 1'000'000u);
}

TEST(BlockTimeline, DoublesItsStepsToStayShort) {
  BlockTimeline line;
  line.begin(1);
  line.depth(1, 2);
  line.completed(1'000'001, 512);
  line.depth(100'000'001, 0);
  EXPECT_LE(line.steps().size(), BlockTimeline::kMostSteps);
  EXPECT_EQ(line.step(), 4'000'000u);
  EXPECT_DOUBLE_EQ(line.steps()[3].depth_time, 2.0 * 4'000'000);
  EXPECT_EQ(line.steps()[0].completed, 1u);
}

TEST(BlockReport, KeepsSizesForAPicture) {
  const auto device_name = [](u32) { return std::string(); };
  BlockReport report({.keys = {}, .device_name = device_name, .sizes = true});
  BlockReport times({.keys = {}, .device_name = device_name, .points = true});
  BlockEvent event;
  event.record.action = static_cast<u8>(BlockAction::Issue);
  event.record.traits = abi::traits_of(BlockAction::Issue);
  event.record.bytes = 8192;
  event.record.time = 5;
  report.add(event);
  times.add(event);
  EXPECT_TRUE(times.sizes().empty());
  ASSERT_EQ(report.sizes().size(), 1u);
  EXPECT_EQ(report.sizes()[0].time, 5u);
  EXPECT_EQ(report.sizes()[0].took, 8192u);
}

}  // namespace
}  // namespace peregrine
