#include "analysis/timeline/timeline_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/timeline/event_fields.h"
#include "analysis/timeline/packed_columns.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

TEST(PackedColumns, KeepEveryValue) {
  const std::vector<u64> values{0, 127, 128, 5, ~u64{0}, u64{1} << 63, 1};
  for (const Coding coding : {Coding::Plain, Coding::Steps}) {
    std::string packed;
    append_column(packed, coding, values, [](u64 value) { return value; });
    ColumnReader reader(packed);
    std::vector<u64> read(values.size());
    reader.column(values.size(), coding, [&](std::size_t at, u64 value) { read[at] = value; });
    EXPECT_EQ(read, values);
  }
}

TEST(PackedColumns, ReadsZerosBeyondTheEnd) {
  ColumnReader reader("\x02\x05");  // claims two bytes, and has one
  std::vector<u64> read;
  reader.column(3, Coding::Plain, [&](std::size_t, u64 value) { read.push_back(value); });
  EXPECT_THAT(read, ElementsAre(5U, 0U, 0U));
  EXPECT_EQ(reader.number(), 0U);
}

TEST(TimelineRows, AreTheSameUnpacked) {
  TimelineRows rows;
  rows.events = {{.time = 5, .type = 1, .cpu = 3, .task = 7, .stack = 9, .cgroup = 2}, {.time = 4'000'000'000'000}};
  rows.states = {{.start = 100, .length = 50, .task = 7, .state = 'D', .open = true, .cpu = 1, .cause = 4},
                 {.start = 20, .length = 1, .task = 1, .state = kRuns}};
  rows.slices = {{.start = 9, .length = 2, .kind = SliceKind::Request, .open = false, .owner = 6, .name = 3}};
  rows.steps = {{.time = 1, .value = kAwake, .kind = StepKind::IdleState, .cpu = 5}};
  const TimelineRows read = unpack_rows(pack_rows(rows));
  ASSERT_EQ(read.events.size(), 2U);
  EXPECT_EQ(read.events[0].stack, 9U);
  EXPECT_EQ(read.events[0].cgroup, 2U);
  EXPECT_EQ(read.events[1].time, 4'000'000'000'000U);
  ASSERT_EQ(read.states.size(), 2U);
  EXPECT_EQ(read.states[0].state, 'D');
  EXPECT_TRUE(read.states[0].open);
  EXPECT_EQ(read.states[1].start, 20U) << "rows are by end, so starts may go back";
  EXPECT_FALSE(read.states[1].open);
  ASSERT_EQ(read.slices.size(), 1U);
  EXPECT_EQ(read.slices[0].kind, SliceKind::Request);
  EXPECT_EQ(read.slices[0].owner, 6U);
  EXPECT_EQ(read.steps[0].value, kAwake);
}

TEST(TimelineRows, DamagedBytesAreNotARequestForMemory) {
  const TimelineRows rows = unpack_rows("\xff\xff\xff\xff\x7f\x01");
  EXPECT_LE(rows.size(), 24U);
}

TEST(EventFields, AreTheSameUnpacked) {
  const std::vector<std::vector<TimelineColumn>> columns{
      {{"pid", ColumnKind::Number}, {"addr", ColumnKind::Address}}, {}, {{"ret", ColumnKind::SignedWide}}};
  std::string packed;
  const std::vector<u64> first{7, 0xffffffff81000000U, static_cast<u64>(-1), 12};
  const std::vector<u64> third{static_cast<u64>(-22)};
  append_fields_of_type(packed, columns[0], first);
  append_fields_of_type(packed, columns[1], {});
  append_fields_of_type(packed, columns[2], third);
  const std::vector<u32> counts{2, 3, 1};
  EXPECT_EQ(unpack_fields(packed, counts, columns, 0), first);
  EXPECT_THAT(unpack_fields(packed, counts, columns, 1), ElementsAre());
  EXPECT_EQ(unpack_fields(packed, counts, columns, 2), third);
}

}  // namespace
}  // namespace peregrine
