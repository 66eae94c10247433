#include "analysis/sched/story_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

constexpr StoryStep::Kind kRun = StoryStep::Kind::Run, kSleep = StoryStep::Kind::Sleep, kWake = StoryStep::Kind::Wake,
                          kAwait = StoryStep::Kind::Await;
constexpr u64 kSecond = 1'000'000'000;

std::vector<u64> lengths(const StoryTask& task) {
  std::vector<u64> all;
  for (const StoryStep& step : task.steps) all.push_back(step.ns);
  return all;
}

std::vector<StoryStep::Kind> kinds(const StoryTask& task) {
  std::vector<StoryStep::Kind> all;
  for (const StoryStep& step : task.steps) all.push_back(step.kind);
  return all;
}

TEST(StoryLimit, LeavesAStoryWithinTheLimitAlone) {
  std::vector<StoryTask> tasks{{.tid = 1, .comm = "a", .steps = {{kRun, 5, 0}, {kSleep, 5, 0}, {kRun, 10, 0}}}};
  EXPECT_FALSE(limit_story(tasks, {.step_ns = 10, .round_ns = 20, .cpus = 1, .tasks = 1}).any());
  EXPECT_THAT(lengths(tasks[0]), ElementsAre(5u, 5u, 10u));
}

TEST(StoryLimit, ShortensStepsThatAreTooLong) {
  std::vector<StoryTask> tasks{
      {.tid = 1, .comm = "a", .steps = {{kSleep, ~u64{0}, 0}, {kRun, 3, 0}, {kSleep, ~u64{0}, 0}}}};
  const StoryCut cut = limit_story(tasks, {.step_ns = 100});
  EXPECT_THAT(lengths(tasks[0]), ElementsAre(100u, 3u, 100u));
  EXPECT_EQ(cut.steps, 2u);
  EXPECT_EQ(cut.nanoseconds, ~u64{0});
}

TEST(StoryLimit, NoTaskTakesLongerThanTheRound) {
  std::vector<StoryTask> tasks{{.tid = 1, .comm = "a", .steps = {{kSleep, 60, 0}, {kRun, 60, 0}, {kSleep, 60, 0}}}};
  const StoryCut cut = limit_story(tasks, {.round_ns = 100, .cpus = 4});
  EXPECT_THAT(lengths(tasks[0]), ElementsAre(60u, 40u, 0u));
  EXPECT_EQ(cut.nanoseconds, 80u);
}

TEST(StoryLimit, AllRunsFitOnTheCpus) {
  std::vector<StoryTask> tasks(10, {.tid = 1, .comm = "a", .steps = {{kRun, 100, 0}}});
  limit_story(tasks, {.round_ns = 100, .cpus = 2});
  u64 sum = 0;
  for (const StoryTask& task : tasks) sum += lengths(task)[0];
  EXPECT_EQ(sum, 200u);
}

// Whether every task reaches the end of its steps.
bool ends(const std::vector<StoryTask>& tasks) {
  std::vector<std::size_t> at(tasks.size()), woken(tasks.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      for (; at[i] < tasks[i].steps.size(); ++at[i], moved = true) {
        const StoryStep& step = tasks[i].steps[at[i]];
        if (step.kind == kWake) ++woken[step.task];
        if (step.kind == kAwait && woken[i]-- == 0) {
          woken[i] = 0;
          break;
        }
      }
  }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (at[i] != tasks[i].steps.size()) return false;
  return true;
}

// A replay that waits for a missing task would never end.
TEST(StoryLimit, LeavesTasksOutWithTheWaitsThatTheyEnd) {
  std::vector<StoryTask> tasks{{.tid = 1, .comm = "a", .steps = {{kWake, 0, 1}, {kWake, 0, 2}, {kRun, 1, 0}}},
                               {.tid = 2, .comm = "b", .steps = {{kAwait, 0, 0}, {kRun, 1, 0}, {kAwait, 0, 2}}},
                               {.tid = 3, .comm = "c", .steps = {{kAwait, 0, 0}, {kWake, 0, 1}}}};
  EXPECT_TRUE(ends(tasks));
  const StoryCut cut = limit_story(tasks, {.tasks = 2});
  EXPECT_EQ(cut.tasks, 1u);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_THAT(kinds(tasks[0]), ElementsAre(kWake, kRun));
  EXPECT_THAT(kinds(tasks[1]), ElementsAre(kAwait, kRun));
  EXPECT_TRUE(ends(tasks));
}

// X wakes B, B wakes A, A wakes B. Without X, B's first wait must be dropped, not its last one; otherwise A and B would
// wait for each other.
TEST(StoryLimit, LeavesOutTheWaitsOfTheWakerThatIsLeftOut) {
  std::vector<StoryTask> tasks{{.tid = 1, .comm = "a", .steps = {{kAwait, 0, 1}, {kWake, 0, 1}}},
                               {.tid = 2, .comm = "b", .steps = {{kAwait, 0, 2}, {kWake, 0, 0}, {kAwait, 0, 0}}},
                               {.tid = 3, .comm = "x", .steps = {{kWake, 0, 1}}}};
  EXPECT_TRUE(ends(tasks));
  limit_story(tasks, {.tasks = 2});
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_THAT(kinds(tasks[0]), ElementsAre(kAwait, kWake));
  EXPECT_THAT(kinds(tasks[1]), ElementsAre(kWake, kAwait));
  EXPECT_TRUE(ends(tasks));
}

TEST(PlausibleSpan, DoesNotBelieveAFewWrongTimes) {
  std::vector<u64> times;
  for (u64 i = 0; i < 1000; ++i) times.push_back(kSecond + i * 1'000'000);
  const u64 honest = plausible_span(times);
  EXPECT_GT(honest, 2 * kSecond);
  EXPECT_LT(honest, 4 * kSecond);
  times.back() = ~u64{0};
  times.front() = 0;
  EXPECT_EQ(plausible_span(times), honest);
}

TEST(PlausibleSpan, DefaultsToOneSecond) {
  EXPECT_EQ(plausible_span({}), kSecond);
  EXPECT_EQ(plausible_span({7}), kSecond);
  EXPECT_EQ(plausible_span({0, ~u64{0}}), ~u64{0});
}

}  // namespace
}  // namespace peregrine
