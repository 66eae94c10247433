#include "analysis/timeline/task_states.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

class TaskStatesTest : public ::testing::Test {
 protected:
  // "7 > 100-150": task, state, times; + for an open slice.
  std::vector<std::string> texts() const {
    std::vector<std::string> made;
    for (const TaskSlice& row : rows_)
      made.push_back(
          fmt::format("{} {} {}-{}{}", row.task, row.state, row.start, row.start + row.length, row.open ? "+" : ""));
    return made;
  }
  std::vector<TaskSlice> rows_;
  TimelineOverview overview_;
  TaskStates states_{rows_, overview_};
};

TEST_F(TaskStatesTest, CountStatesOfTooManyTasks) {
  for (u32 task = 1; task <= 40'000; ++task) states_.woken(100, task, 0);
  states_.cut(200);
  EXPECT_EQ(rows_.size() + states_.dropped(), 40'000U);
  EXPECT_GT(rows_.size(), 20'000U) << "a machine may have that many threads";
  EXPECT_GT(states_.dropped(), 0U);
}

TEST_F(TaskStatesTest, FollowATask) {
  states_.switched(100, 0, 0, 'R', 0, 7, 0);
  states_.switched(150, 0, 7, 'S', 4, 0, 0);
  states_.woken(180, 7, 9 + kFirstWaker);
  states_.switched(200, 1, 0, 'R', 0, 7, 0);
  EXPECT_THAT(texts(), ElementsAre("7 > 100-150", "7 S 150-180", "7 R 180-200"));
  EXPECT_EQ(rows_[1].cause, 4U) << "the system call in which it sleeps";
  EXPECT_EQ(rows_[2].cause, 9 + kFirstWaker);
  EXPECT_EQ(states_.run_times()[7], 50U);
}

TEST_F(TaskStatesTest, ATaskThatLeavesFirstRanSinceTheBlockBegan) {
  states_.switched(150, 0, 7, 'S', 0, 8, 20);
  EXPECT_THAT(texts(), ElementsAre("7 > 20-150"));
}

TEST_F(TaskStatesTest, AreCutAtTheEndOfABlockAndGoOn) {
  states_.switched(100, 0, 0, 'R', 0, 7, 0);
  states_.cut(130);
  states_.switched(150, 0, 7, 'X', 0, 0, 130);
  states_.cut(200);
  EXPECT_THAT(texts(), ElementsAre("7 > 100-130+", "7 > 100-150"));
  EXPECT_TRUE(states_.has_ended(7));
  EXPECT_EQ(states_.run_times()[7], 50U) << "each ns counts once";
}

TEST_F(TaskStatesTest, DrawNothingWhereASwitchWasLost) {
  states_.switched(100, 0, 0, 'R', 0, 7, 0);
  states_.switched(150, 0, 8, 'S', 0, 9, 0);  // how 8 came was lost
  states_.switched(160, 0, 9, 'S', 0, 7, 0);
  EXPECT_THAT(texts(), ElementsAre("9 > 150-160"));
}

TEST(TimelineOverview, DoublesItsSlotsAsTimeGoesOn) {
  TimelineOverview overview;
  overview.add_time(SumKind::CpuRuns, 0, 0, 1024, 7);
  overview.add_event(2, 100);
  overview.add_time(SumKind::CpuRuns, 0, 2048 * 1024, 2048 * 1024 + 512, 8);
  EXPECT_EQ(overview.slot_length(), 2048U);
  const SlotSums& runs = overview.lanes(SumKind::CpuRuns).at(0);
  EXPECT_EQ(runs.first, 0U);
  EXPECT_EQ(runs.sums.at(0), 1024.0F);
  EXPECT_EQ(runs.sums.at(1024), 512.0F);
  EXPECT_EQ(overview.lanes(SumKind::CpuTask).at(0).sums.at(0), 8.0F) << "task 7 plus one";
  EXPECT_EQ(overview.lanes(SumKind::CpuTask).at(0).sums.at(1024), 9.0F);
  EXPECT_EQ(overview.lanes(SumKind::Events).at(2).sums.at(0), 1.0F);
}

TEST(TimelineOverview, NamesTheTaskThatRanLongest) {
  TimelineOverview overview;
  overview.add_time(SumKind::CpuRuns, 0, 0, 300, 7);
  overview.add_time(SumKind::CpuRuns, 0, 300, 900, 8);
  EXPECT_EQ(overview.lanes(SumKind::CpuTask).at(0).sums.at(0), 9.0F);
}

}  // namespace
}  // namespace peregrine
