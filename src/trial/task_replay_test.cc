#include "trial/task_replay.h"

#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

constexpr TaskStep::Kind kRunStep = TaskStep::Kind::Run, kSleepStep = TaskStep::Kind::Sleep,
                         kAwaitStep = TaskStep::Kind::Await, kWake = TaskStep::Kind::Wake;
constexpr u64 kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;

// Each task performs the step after the previous task has done so.
std::vector<TaskSteps> chain(std::size_t tasks, TaskStep step) {
  std::vector<TaskSteps> all(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    if (i != 0) all[i].push_back({kAwaitStep, 0, 0});
    all[i].push_back(step);
    if (i + 1 < tasks) all[i].push_back({kWake, 0, i + 1});
  }
  return all;
}

TEST(TaskReplay, DoesEveryStepOfEachRound) {
  const auto tasks = chain(3, {kSleepStep, 10 * kMillisecond, 0});
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  for (int round = 0; round < 2; ++round) {
    const TaskReplay::Round took = replay->run();
    EXPECT_GE(took.elapsed, 30 * kMillisecond);
    EXPECT_EQ(took.cut, 0u);
  }
}

TEST(TaskReplay, EndsSleepsOfOneAfterAnotherAtTheLimit) {
  const auto tasks = chain(30, {kSleepStep, kSecond, 0});
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  for (int round = 0; round < 2; ++round) {
    const TaskReplay::Round took = replay->run(100 * kMillisecond);
    EXPECT_GE(took.elapsed, 50 * kMillisecond);  // the limit counts from before the start
    EXPECT_LT(took.elapsed, 10 * kSecond);       // 30 s without the limit
    EXPECT_EQ(took.cut, 30u);
  }
}

TEST(TaskReplay, EndsRunsAtTheLimit) {
  const auto tasks = chain(4, {kRunStep, 5 * kSecond, 0});
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  const TaskReplay::Round took = replay->run(50 * kMillisecond);
  EXPECT_LT(took.elapsed, 5 * kSecond);  // 20 s without the limit
  EXPECT_EQ(took.cut, 4u);
}

// A task that is woken before it waits does not wait, because wake-ups are counted.
TEST(TaskReplay, EarlyWakeUpsAreNotLost) {
  const std::vector<TaskSteps> tasks = {
      {{kWake, 0, 1}, {kWake, 0, 1}, {kWake, 0, 1}},
      {{kSleepStep, 5 * kMillisecond, 0}, {kAwaitStep, 0, 0}, {kAwaitStep, 0, 0}, {kAwaitStep, 0, 0}}};
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  for (int round = 0; round < 3; ++round) EXPECT_EQ(replay->run().cut, 0u);
}

TEST(TaskReplay, TasksMayHaveNoStepsOrBeNone) {
  const std::vector<TaskSteps> idle(3), none;
  for (const auto* tasks : {&idle, &none}) {
    auto replay = TaskReplay::start(*tasks);
    ASSERT_TRUE(replay) << replay.error().message;
    EXPECT_EQ(replay->run().cut, 0u);
  }
}

TEST(TaskReplay, EndsWithoutARound) {
  const auto tasks = chain(2, {kRunStep, kSecond, 0});
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  TaskReplay moved = std::move(*replay);  // the threads go with it
  EXPECT_EQ(moved.run(0).cut, 2u) << "no time at all cuts every run";
}

TEST(TaskReplay, ASleepIsNeverShorterThanAsked) { EXPECT_GE(measured_sleep(kMillisecond), kMillisecond); }

}  // namespace
}  // namespace peregrine
