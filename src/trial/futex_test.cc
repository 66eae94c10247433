#include "trial/futex.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>

namespace peregrine {
namespace {

unsigned woken_by(const std::vector<FutexWoken>& wakers) {
  return std::accumulate(wakers.begin(), wakers.end(), 0u,
                         [](unsigned sum, const FutexWoken& each) { return sum + each.woken; });
}

TEST(FutexWakeUps, ReachAllSleepersHoweverManyAtOnce) {
  for (const unsigned at_once : {1u, 2u, 100u})
    for (const bool is_shared : {false, true}) {
      u32 word = 7;  // whatever was there before
      const auto woken = run_futex_wake({.threads = 3, .at_once = at_once}, {.is_shared = is_shared}, word);
      ASSERT_TRUE(woken) << woken.error().message;
      EXPECT_EQ(woken->woken, 3u);
      EXPECT_EQ(woken->moved, 0u);
    }
}

TEST(FutexWakeUps, NobodySleepsWithoutThreads) {
  u32 word = 0, other = 0;
  const auto woken = run_futex_wake({.threads = 0}, {}, word);
  ASSERT_TRUE(woken);
  EXPECT_EQ(woken->woken, 0u);
  const auto moved = run_futex_requeue({.threads = 0}, {}, word, other);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->woken + moved->moved, 0u);
}

// A requeued thread sleeps at the other futex, and ends with the trial.
TEST(FutexRequeues, MoveSleepersWithoutWakingThem) {
  for (const unsigned at_once : {1u, 100u}) {
    u32 from = 1, to = 2;
    const auto moved = run_futex_requeue({.threads = 3, .at_once = at_once}, {}, from, to);
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->moved, 3u);
    EXPECT_EQ(moved->woken, 0u);
  }
}

TEST(ParallelWakeUps, MayBeTooFewOrTooMany) {
  u32 word = 0;
  const auto few = run_futex_parallel({.threads = 4, .at_once = 1}, 2, {}, word);
  ASSERT_TRUE(few) << few.error().message;
  EXPECT_EQ(few->size(), 2u);
  EXPECT_EQ(woken_by(*few), 2u) << "the others are released when the trial ends";
  const auto many = run_futex_parallel({.threads = 2, .at_once = 3}, 3, {}, word);
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_EQ(woken_by(*many), 2u);
}

TEST(FutexLocks, AreFreeWhenTheTrialEnds) {
  for (const std::size_t locks : {std::size_t{1}, std::size_t{3}}) {
    std::vector<u32> words(locks, 0);
    const auto done = run_futex_locks({.threads = 3, .seconds = 0, .bound = false}, {}, words);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->size(), 3u);
    for (const u32 word : words) EXPECT_EQ(word, 0u);
  }
}

TEST(FutexHash, LooksUpEachWordOfEachThread) {
  std::vector<std::vector<u32>> words = {std::vector<u32>(5, 0), std::vector<u32>(1, ~0u)};
  const auto done = run_futex_hash({.threads = 2, .seconds = 0}, {.is_shared = true}, words);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ((*done)[0] % 5, 0u);
  EXPECT_GE((*done)[0], 5u);
  EXPECT_GE((*done)[1], 1u) << "the value expected of the largest word wraps to zero, which it is not";
}

}  // namespace
}  // namespace peregrine
