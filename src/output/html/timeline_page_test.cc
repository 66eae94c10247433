#include "output/html/timeline_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "analysis/timeline/packed_columns.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TimelineBlock block_at(u64 first, std::size_t bytes) {
  // Text that deflate cannot make shorter by much.
  std::string text;
  for (u64 value = first + 1; text.size() < bytes; value = value * 6364136223846793005U + 1442695040888963407U)
    text += static_cast<char>(value >> 56);
  return {.first = first, .last = first + 100, .events = 1, .rows = 2, .lanes = text, .fields = text};
}

Timeline small_timeline() {
  Timeline timeline;
  timeline.start = u64{1} << 60;
  timeline.length = 200;
  timeline.event_count = 2;
  timeline.types = {{.name = "app:</script>", .tracepoint = true, .columns = {{"size", ColumnKind::Wide}}, .count = 2}};
  timeline.tasks = {{.comm = "idle"}, {.pid = 5, .tid = 6, .comm = "a\x1b\"b", .run_time = 50, .events = 2}};
  timeline.cpus = {0, 3};
  timeline.texts = {"", "read"};
  timeline.overview.add_time(SumKind::CpuRuns, 3, 0, 512, 1);
  timeline.overview.add_event(0, 5);
  timeline.stacks = {.texts = {"", "all"}, .frames = {{1, 0, CodeKind::All}}, .stacks = {{0, 0}}, .series = {}};
  return timeline;
}

TEST(TimelinePage, HasAHead) {
  TimelinePacker packer(1 << 20);
  Timeline timeline = small_timeline();
  timeline.blocks = {block_at(0, 10), block_at(100, 10)};
  for (TimelineBlock& block : timeline.blocks) packer.take(block);
  EXPECT_TRUE(timeline.blocks[0].lanes.empty()) << "the packer took them";
  const auto json =
      nlohmann::json::parse('{' + timeline_json(timeline, packer, {.title = "T", .notes = {"3 lost"}}) + '}');
  EXPECT_EQ(json["start"], "1152921504606846976") << "as text: too large for a browser's numbers";
  EXPECT_EQ(json["types"][0]["columns"][0][1], 2);
  EXPECT_EQ(json["tasks"]["comm"][1], "a\\x1b\"b");
  EXPECT_THAT(json["cpus"].get<std::vector<int>>(), ElementsAre(0, 3));
  EXPECT_THAT(json["blocks"]["first"].get<std::vector<int>>(), ElementsAre(0, 100)) << "as differences";
  EXPECT_THAT(json["blocks"]["kept"].get<std::vector<int>>(), ElementsAre(2, 2));
  EXPECT_EQ(json["notes"][0], "3 lost");
}

TEST(TimelinePage, LeavesOutFieldsBeforeRows) {
  TimelinePacker packer(10'000);
  for (u64 at = 0; at < 10; ++at) {
    TimelineBlock block = block_at(at * 100, 1500);
    packer.take(block);
  }
  ASSERT_TRUE(packer.fields_end());
  ASSERT_TRUE(packer.lanes_end());
  EXPECT_LT(*packer.fields_end(), *packer.lanes_end());
  EXPECT_LE(packer.bytes(), 10'000U);
  EXPECT_TRUE(packer.blocks().front().fields);
  EXPECT_FALSE(packer.blocks().back().lanes);
  EXPECT_EQ(packer.blocks().size(), 10U);
}

TEST(TimelinePage, LeavesRoomForItsOtherParts) {
  TimelinePacker packer(10'000);
  for (u64 at = 0; at < 2; ++at) {
    TimelineBlock block = block_at(at * 100, 1500);
    packer.take(block);
  }
  ASSERT_FALSE(packer.lanes_end());
  packer.leave_room(10'000 - packer.bytes() + 1);
  EXPECT_TRUE(packer.fields_end());
  EXPECT_FALSE(packer.lanes_end());
  packer.leave_room(20'000);
  EXPECT_EQ(packer.bytes(), 0U);
  EXPECT_EQ(packer.lanes_end(), 0U);
}

TEST(TimelinePage, IsNotLargerThanItsLimit) {
  const TimelinePageText text{
      .title = "T", .subtitle = "S", .made_by = "perf", .facts = {{"a", "b"}}, .notes = {"lost"}};
  const auto page_size = [&](u64 limit) {
    TimelinePacker packer(limit);
    Timeline timeline = small_timeline();
    for (std::size_t at = 0; at < 40; ++at) timeline.blocks.push_back(block_at(at * 100, 300 + at));
    for (TimelineBlock& block : timeline.blocks) packer.take(block);
    packer.pack_rest(timeline, text);
    Sink out;
    print_timeline_page(out, timeline, packer, text);
    return u64{out.text().size()};
  };
  const u64 least = page_size(0), most = page_size(1 << 20);
  EXPECT_GT(least, 10'000U);
  EXPECT_GT(most, least + 30'000);
  for (u64 limit = least + 200; limit < most; limit += 1'100) {
    const u64 size = page_size(limit);
    EXPECT_LE(size, limit);
    EXPECT_GT(size + 2000, limit) << "there is no room for another block";
  }
}

TEST(TimelinePage, HasNoFieldsWithoutTheirEvents) {
  TimelinePacker packer(200);
  TimelineBlock block = block_at(0, 1500);
  block.fields = "short";
  packer.take(block);
  EXPECT_FALSE(packer.blocks().front().fields);
  EXPECT_EQ(packer.fields_end(), 0U);
}

TEST(TimelinePage, LimitsTheFirstBlock) {
  TimelinePacker packer(100);
  TimelineBlock block = block_at(0, 1500);
  packer.take(block);
  EXPECT_EQ(packer.bytes(), 0U);
  EXPECT_EQ(packer.lanes_end(), 0U);
}

TEST(TimelinePage, CannotBeLeftByARecordingsText) {
  TimelinePacker packer(1 << 20);
  const Timeline timeline = small_timeline();
  const TimelinePageText text{.title = "</title><script>"};
  packer.pack_rest(timeline, text);
  Sink out;
  print_timeline_page(out, timeline, packer, text);
  EXPECT_THAT(std::string(out.text()), Not(HasSubstr("app:</script>")));
  EXPECT_THAT(std::string(out.text()), HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
}

TEST(TimelinePage, HasAnOverviewOf255ths) {
  const std::string columns = overview_columns(small_timeline().overview);
  ColumnReader reader(columns);
  ASSERT_EQ(reader.number(), 4U) << "lanes of CPUs up to number 3";
  for (int empty = 0; empty < 3; ++empty) {
    reader.number();
    EXPECT_EQ(reader.number(), 0U);
    reader.skip_column();
  }
  EXPECT_EQ(reader.number(), 0U);
  EXPECT_EQ(reader.number(), 1U);
  reader.column(1, Coding::Plain, [](std::size_t, u64 value) { EXPECT_EQ(value, 128U) << "half of a slot"; });
}

}  // namespace
}  // namespace peregrine
