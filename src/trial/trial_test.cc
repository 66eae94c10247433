#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

#include "base/types.h"
#include "trial/bit_search.h"
#include "trial/epoll.h"
#include "trial/futex.h"
#include "trial/memory_copy.h"
#include "trial/messaging.h"
#include "trial/numa_memory.h"
#include "trial/ping_pong.h"
#include "trial/task_replay.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

TEST(Trial, MessagesArriveByEveryWay) {
  for (const bool threads : {false, true}) {
    for (const bool pipes : {false, true}) {
      const auto seconds = run_messaging({.groups = 2, .loops = 3, .threads = threads, .pipes = pipes});
      ASSERT_TRUE(seconds) << seconds.error().message;
      EXPECT_GT(*seconds, 0);
    }
  }
}

TEST(Trial, TwoSidesPlay) {
  for (const bool threads : {false, true}) {
    const auto seconds = run_ping_pong({.loops = 100, .threads = threads});
    ASSERT_TRUE(seconds) << seconds.error().message;
    EXPECT_GT(*seconds, 0);
  }
  EXPECT_GT(run_system_calls(CheapCall::GetPgid, 100), 0);
}

TEST(Trial, MemoryIsCopiedOrCannotBeHad) {
  EXPECT_GT(run_memory(MemoryWork::Copy, 4096, 10).value_or(0), 0);
  EXPECT_GT(run_memory(MemoryWork::Fill, 4096, 10).value_or(0), 0);
  EXPECT_FALSE(run_memory(MemoryWork::Copy, u64{1} << 60, 1));
}

TEST(Trial, FutexesAreFoundAndLocked) {
  std::vector<std::vector<u32>> words(2, std::vector<u32>(8, 0));
  const auto found = run_futex_hash({.threads = 2, .seconds = 0}, {}, words);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_GE((*found)[0], 8u);
  EXPECT_EQ((*found)[0] % 8, 0u);
  std::vector<u32> lock(1, 0);
  const auto locked = run_futex_locks({.threads = 2, .seconds = 0, .bound = false}, {.is_shared = true}, lock);
  ASSERT_TRUE(locked) << locked.error().message;
  EXPECT_EQ(lock[0], 0u);  // available again
}

TEST(Trial, AllSleepersAreWokenOrMoved) {
  u32 from = 0, to = 0;
  const auto woken = run_futex_wake({.threads = 3}, {}, from);
  ASSERT_TRUE(woken) << woken.error().message;
  EXPECT_EQ(woken->woken, 3u);
  const auto moved = run_futex_requeue({.threads = 3, .at_once = 2}, {}, from, to);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->woken + moved->moved, 3u);
  const auto parallel = run_futex_parallel({.threads = 4, .at_once = 2}, 2, {}, from);
  ASSERT_TRUE(parallel) << parallel.error().message;
  ASSERT_EQ(parallel->size(), 2u);
  EXPECT_EQ((*parallel)[0].woken + (*parallel)[1].woken, 4u);
}

TEST(Trial, SleepersMoveToALockThatHandsOnPriority) {
  u32 from = 0, to = 0;
  const auto moved = run_futex_requeue({.threads = 3, .at_once = 1, .priorities = true}, {}, from, to);
  ASSERT_TRUE(moved) << moved.error().message;
  if (moved->woken + moved->moved == 0) GTEST_SKIP() << "this kernel has no such locks";
  EXPECT_EQ(moved->woken + moved->moved, 3u);
}

TEST(Trial, EpollSeesWhatIsWrittenAndCountsChanges) {
  for (const unsigned nesting : {0u, 2u}) {
    const EpollPlan plan{
        .timed = {.threads = 2, .seconds = 1}, .files = 4, .nesting = nesting, .one_each = nesting > 0};
    const auto files = open_epoll_files(plan);
    ASSERT_TRUE(files) << files.error().message;
    const auto seen = run_epoll_wait(plan, *files);
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_GT((*seen)[0] + (*seen)[1], 0u);
  }
  const EpollPlan plan{.timed = {.threads = 1, .seconds = 1}, .files = 4};
  const auto files = open_epoll_files(plan);
  ASSERT_TRUE(files);
  const auto changes = run_epoll_changes(plan, *files);
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ((*changes)[0][kAdded], (*changes)[0][kRemoved]);
  EXPECT_EQ((*changes)[0][kAdded], (*changes)[0][kModified]);
}

TEST(Trial, TasksWorkOnMemoryOfTheirOwnAndOfAll) {
  NumaPlan plan{.processes = 2, .threads = 2, .global = 4096, .process = 8192, .process_locked = 4096, .thread = 4096};
  plan.loops = 3;
  bool started = false;
  const auto result = run_numa_memory(plan, [&](double) { started = true; }, [](double, const auto&) {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(started);
  ASSERT_EQ(result->tasks.size(), 4u);
  for (const NumaTask& task : result->tasks) {
    EXPECT_EQ(task.rounds, 3u);
    EXPECT_EQ(task.bytes, 3u * 20480);
    EXPECT_GE(task.node, 0);
  }
}

TEST(Trial, PlacesOfTasks) {
  EXPECT_EQ(parse_task_cpus("0,2-5%2#2x1").value(), (std::vector<std::vector<int>>{{0}, {2, 3}, {4, 5}}));
  EXPECT_EQ(parse_task_nodes("0x2,1-2").value(), (std::vector<int>{0, 0, 1, 2}));
  for (const char* wrong : {"", "a", "3-1", "0x0", "1,,2", "0-99999999"}) EXPECT_FALSE(parse_task_cpus(wrong)) << wrong;
  const NumaPlan plan{.processes = 2, .threads = 2};
  const auto on = [](int node) { return NumaTask{.node = node}; };
  EXPECT_EQ(stray_nodes(plan, {on(0), on(0), on(1), on(1)}), 0u);
  EXPECT_EQ(stray_nodes(plan, {on(0), on(1), on(1), on(0)}), 2u);
  EXPECT_EQ(stray_nodes(plan, {on(0), on(-1), on(1), on(0)}), 4u);
}

TEST(Trial, BitsAreSearchedBothWays) {
  EXPECT_GT(run_next_set_bit({.bits = 2048, .set = 3, .loops = 10}), 0);
  EXPECT_GT(run_each_bit({.bits = 1, .set = 1, .loops = 10}), 0);
}

// A waiting thread continues only when woken; work is counted on the thread's own clock.
TEST(Trial, TasksWaitForEachOther) {
  using enum TaskStep::Kind;
  constexpr u64 kRun = 2'000'000, kSleep = 5'000'000;
  const TaskSteps tasks[] = {{{Await, 0, 0}, {Run, kRun, 0}, {Wake, 0, 1}, {Wake, 0, 2}},
                             {{Sleep, kSleep, 0}, {Wake, 0, 0}, {Await, 0, 0}, {Run, kRun, 0}},
                             {{Await, 0, 0}}};
  auto replay = TaskReplay::start(tasks);
  ASSERT_TRUE(replay) << replay.error().message;
  for (int i = 0; i < 2; ++i) {
    const TaskReplay::Round round = replay->run();
    // One after another; on a virtual machine, a thread's clock may run slightly ahead of the wall clock.
    EXPECT_GE(round.elapsed, (kSleep + 2 * kRun) * 9 / 10);
    EXPECT_GE(round.on_cpu, 2 * kRun);
  }
}

TEST(Trial, WhatAThreadThrowsIsThrownToTheCaller) {
  const TimedPlan plan{.threads = 2, .seconds = 0};
  EXPECT_THROW(static_cast<void>(run_timed(plan,
                                           [](unsigned thread, const std::atomic<bool>&) -> u64 {
                                             if (thread == 1) throw std::bad_alloc();
                                             return 1;
                                           })),
               std::bad_alloc);
}

}  // namespace
}  // namespace peregrine
