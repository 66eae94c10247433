#include "analysis/timeline/timeline_overview.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(TimelineOverview, KeepsTheBusiestTasks) {
  constexpr u32 kTasks = 3 * TimelineOverview::kMostLanes, kBusy = kTasks + 7;
  TimelineOverview overview;
  overview.add_time(SumKind::TaskRuns, 0, 0, 500);
  for (u32 task = 1; task < kTasks; ++task) overview.add_time(SumKind::TaskRuns, task, 10 * task, 10 * task + 5);
  EXPECT_TRUE(overview.is_partial());
  overview.add_time(SumKind::TaskRuns, kBusy, 0, 1000);
  const auto& lanes = overview.lanes(SumKind::TaskRuns);
  EXPECT_FALSE(lanes.at(0).sums.empty()) << "the first was busy";
  EXPECT_FALSE(lanes.at(kBusy).sums.empty());
  std::size_t filled = 0;
  for (const SlotSums& lane : lanes) filled += lane.sums.empty() ? 0 : 1;
  EXPECT_LE(filled, TimelineOverview::kMostLanes);
}

TEST(TimelineOverview, LimitsCpus) {
  TimelineOverview overview;
  overview.add_time(SumKind::CpuRuns, TimelineOverview::kMostLanes, 0, 10);
  EXPECT_TRUE(overview.lanes(SumKind::CpuRuns).empty());
  EXPECT_FALSE(overview.is_partial());
}

}  // namespace
}  // namespace peregrine
