#include "analysis/timeline/open_slices.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

class OpenSlicesTest : public ::testing::Test {
 protected:
  std::vector<LaneSlice> rows_;
  TimelineOverview overview_;
  OpenSlices slices_{rows_, overview_};
};

TEST_F(OpenSlicesTest, RequestsWithoutAnEndDoNotEndCalls) {
  constexpr u32 kThreads = 20'000, kRequests = 100'000;
  for (u32 task = 1; task <= kThreads; ++task) slices_.start(task, SliceKind::Call, task, 1);
  EXPECT_EQ(slices_.dropped(), 0U);
  for (u32 sector = 0; sector < kRequests; ++sector) slices_.start(sector, SliceKind::Request, 0, 2, sector);
  EXPECT_GT(slices_.dropped(), 0U);
  for (u32 task = 1; task <= kThreads; ++task) slices_.end(kThreads, SliceKind::Call, task);
  EXPECT_EQ(rows_.size(), kThreads);
  slices_.end(kRequests, SliceKind::Request, 0, kRequests - 1);
  EXPECT_EQ(rows_.size(), kThreads + 1) << "the newest requests stay";
  slices_.cut(kRequests);
  EXPECT_EQ(rows_.size() + slices_.dropped(), kThreads + kRequests);
}

TEST_F(OpenSlicesTest, OpenOnesAreInOneOrder) {
  for (const u32 name : {9U, 3U, 7U, 5U}) slices_.start(10, SliceKind::Request, 0, name, name * 100);
  slices_.start(10, SliceKind::Call, 0, 8);
  slices_.cut(20);
  std::vector<u32> names;
  for (const LaneSlice& row : rows_) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<u32>{8, 3, 5, 7, 9}));
}

}  // namespace
}  // namespace peregrine
