// Names, processes and address spaces of threads over time.
#include "machine/process/thread_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace peregrine {
namespace {

constexpr SpaceId kNoSpace;

// The comm of a thread at a moment, as displayed.
std::string name_at(const ThreadTable& threads, u32 tid, Moment moment) {
  return threads.comm_text(threads.find(tid, tid, moment).comm);
}
CommId comm_named(const ThreadTable& threads, std::string_view name) {
  const auto comm = threads.find_comm(name);
  EXPECT_TRUE(comm) << name;
  return comm.value_or(CommId());
}

TEST(ThreadTable, NamesUnknownThreadsByTheirTid) {
  const ThreadTable threads;
  const ThreadState state = threads.find(7, 8, 100);
  EXPECT_EQ(state.pid, 7u);
  EXPECT_EQ(state.tid, 8u);
  EXPECT_FALSE(state.thread);
  EXPECT_FALSE(state.space);
  EXPECT_EQ(state.until, kForever);
  EXPECT_EQ(threads.comm_text(state.comm), ":8");
  EXPECT_EQ(threads.comm_view(state.comm), "");
  EXPECT_EQ(threads.comm_text(CommId::of_tid(~0u)), ":-1") << "a sample without a thread";
}

TEST(ThreadTable, HoldsANameUntilTheNext) {
  ThreadTable threads;
  threads.set_comm(7, 7, "first", 10);
  threads.set_comm(7, 7, "second", 20);
  EXPECT_EQ(name_at(threads, 7, 9), ":7");
  EXPECT_EQ(name_at(threads, 7, 10), "first");
  EXPECT_EQ(name_at(threads, 7, 19), "first");
  EXPECT_EQ(name_at(threads, 7, 20), "second");
  EXPECT_EQ(name_at(threads, 7, kForever), "second");
  EXPECT_EQ(threads.find(7, 7, 9).until, 10u);
  EXPECT_EQ(threads.find(7, 7, 10).until, 20u);
  EXPECT_EQ(threads.find(7, 7, 20).until, kForever);
  EXPECT_EQ(threads.find(7, 7, 10).thread, threads.find(7, 7, 20).thread) << "it is still the same thread";
}

// A look-up jumps over older names; however many there are, it must end at the right one.
TEST(ThreadTable, FindsEveryOneOfManyNames) {
  for (u64 count = 1; count <= 300; count += count < 40 ? 1 : 37) {
    ThreadTable threads;
    for (u64 i = 1; i <= count; ++i) {
      threads.set_comm(7, 7, fmt::format("name{}", i), 10 * i);
      threads.set_comm(8, 8, "other", 10 * i + 1);  // the states of threads alternate
    }
    EXPECT_EQ(name_at(threads, 7, 9), ":7");
    for (u64 i = 1; i <= count; ++i) {
      const ThreadState state = threads.find(7, 7, 10 * i + 5);
      ASSERT_EQ(threads.comm_text(state.comm), fmt::format("name{}", i)) << "of " << count;
      ASSERT_EQ(state.until, i == count ? kForever : 10 * (i + 1));
    }
    threads.forget_before(10 * count - 15);
    EXPECT_EQ(name_at(threads, 7, kForever), fmt::format("name{}", count));
    if (count > 2) EXPECT_EQ(name_at(threads, 7, 10 * count - 5), fmt::format("name{}", count - 1));
  }
}

TEST(ThreadTable, OfTwoNamesAtOneMomentTakesTheLast) {
  ThreadTable threads;
  threads.set_comm(7, 7, "first", 10);
  threads.set_comm(7, 7, "second", 10);
  EXPECT_EQ(name_at(threads, 7, 10), "second");
}

TEST(ThreadTable, StartsAnotherThreadWithEachFork) {
  ThreadTable threads;
  threads.set_comm(7, 7, "old", 10);
  threads.exit(7, 7, 20);
  threads.set_comm(1, 1, "shell", 5);
  threads.fork(7, 7, comm_named(threads, "shell"), SpaceId(3), 30, 1);
  const ThreadState before = threads.find(7, 7, 29), after = threads.find(7, 7, 30);
  EXPECT_EQ(threads.comm_text(before.comm), "old") << "an exit is not the end of its name";
  EXPECT_EQ(threads.comm_text(after.comm), "shell");
  EXPECT_NE(before.thread, after.thread);
  EXPECT_EQ(after.space, SpaceId(3));
  EXPECT_FALSE(before.space);
}

TEST(ThreadTable, AnUnnamedParentGivesNoName) {
  ThreadTable threads;
  threads.fork(7, 8, CommId::of_tid(7), kNoSpace, 10);
  EXPECT_EQ(name_at(threads, 8, 10), ":8") << "not its parent's number";
}

TEST(ThreadTable, ThreadsThatNobodyAnnouncedUseTheMapsOfTheirProcess) {
  ThreadTable threads;
  threads.set_space(7, 7, SpaceId(4), 10);
  EXPECT_EQ(threads.find(7, 9, 10).space, SpaceId(4));
  EXPECT_EQ(threads.find(7, 9, 9).space, kNoSpace);
  EXPECT_EQ(threads.find(7, 9, 9).until, 10u) << "then its process gets maps";
  EXPECT_EQ(threads.find(~0u, 9, 10).space, kNoSpace) << "its process is unknown";
  threads.set_comm(7, 9, "worker", 20);
  EXPECT_EQ(threads.find(7, 9, 19).space, SpaceId(4));
}

TEST(ThreadTable, KeepsTheProcessThatItSawFirst) {
  ThreadTable threads;
  threads.set_comm(7, 9, "worker", 10);
  EXPECT_EQ(threads.find(~0u, 9, 10).pid, 7u);
  EXPECT_EQ(threads.find(8, 9, 10).pid, 7u);
  threads.fork(8, 9, CommId(), kNoSpace, 20);
  EXPECT_EQ(threads.find(~0u, 9, 20).pid, 8u) << "a fork tells anew";
}

TEST(ThreadTable, FirstNamesAreThoseOfTheFirstCommRecord) {
  ThreadTable threads;
  threads.set_space(7, 7, SpaceId(0), 5);
  threads.set_comm(7, 7, "first", 10);
  threads.set_comm(7, 7, "second", 20);
  const auto reported = [&](u32 tid, Moment moment) {
    return threads.comm_text(threads.first_name(threads.find(tid, tid, moment).comm));
  };
  EXPECT_EQ(reported(7, 5), "first");
  EXPECT_EQ(reported(7, 1), "first") << "before anything is known of it";
  EXPECT_EQ(reported(7, 20), "second") << "what has a name keeps it";
  EXPECT_EQ(reported(99, 1), ":99");
}

TEST(ThreadTable, FirstNamesAreNotThoseOfALaterThread) {
  ThreadTable threads;
  threads.set_space(7, 7, SpaceId(0), 5);  // it ends without ever having a name
  threads.exit(7, 7, 8);
  threads.set_comm(1, 1, "shell", 9);
  threads.fork(7, 7, comm_named(threads, "shell"), SpaceId(1), 10);
  threads.set_comm(7, 7, "next", 20);
  EXPECT_EQ(threads.comm_text(threads.first_name(threads.find(7, 7, 5).comm)), ":7");
}

TEST(ThreadTable, FindsCommsByName) {
  ThreadTable threads;
  threads.set_comm(7, 7, "same", 10);
  threads.set_comm(8, 8, "same", 10);
  threads.set_comm(9, 9, "", 10);
  EXPECT_EQ(threads.find(7, 7, 10).comm, threads.find(8, 8, 10).comm);
  EXPECT_EQ(threads.find_comm("same"), threads.find(7, 7, 10).comm);
  EXPECT_EQ(threads.comm_view(*threads.find_comm("same")), "same");
  EXPECT_FALSE(threads.find_comm("other"));
  EXPECT_EQ(name_at(threads, 9, 10), "") << "an empty name is a name";
}

TEST(ThreadTable, ListsTheNewestThreadsWithTheirParents) {
  ThreadTable threads;
  threads.set_comm(1, 1, "init", 1);
  threads.fork(5, 5, CommId(), kNoSpace, 2, 1);
  threads.fork(5, 6, CommId(), kNoSpace, 3, 5);
  threads.set_comm(5, 6, "worker", 4);
  auto tasks = threads.tasks();
  std::ranges::sort(tasks, {}, [](const Task& task) { return task.state.tid; });
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].parent, std::nullopt);
  EXPECT_EQ(tasks[1].parent, 1u);
  EXPECT_EQ(tasks[2].parent, 5u);
  EXPECT_EQ(tasks[2].state.pid, 5u);
  EXPECT_EQ(threads.comm_text(tasks[2].state.comm), "worker");
  threads.fork(6, 6, CommId(), kNoSpace, 5);
  for (const Task& task : threads.tasks())
    if (task.state.tid == 6) EXPECT_EQ(task.parent, std::nullopt) << "of another thread with this tid";
}

TEST(ThreadTable, ForgetsThreadsThatEndedAndStatesThatAreOver) {
  ThreadTable threads;
  threads.set_comm(7, 7, "ended", 10);
  threads.exit(7, 7, 20);
  for (Moment moment = 10; moment < 30; ++moment) threads.set_comm(8, 8, fmt::format("name{}", moment), moment);
  const ThreadState before = threads.find(8, 8, 25);
  threads.forget_before(20);
  EXPECT_EQ(name_at(threads, 7, 20), "ended") << "it ends at this moment, not before";
  threads.forget_before(25);
  EXPECT_EQ(name_at(threads, 7, 25), ":7");
  EXPECT_EQ(threads.find(8, 8, 25).thread, before.thread);
  for (Moment moment = 25; moment < 30; ++moment) EXPECT_EQ(name_at(threads, 8, moment), fmt::format("name{}", moment));
  EXPECT_EQ(threads.state_count(), 5u) << "those from 25 on";
  EXPECT_FALSE(threads.is_worth_forgetting());
}

TEST(ThreadTable, AThreadThatIsHeardOfAgainHasNotEnded) {
  ThreadTable threads;
  threads.set_comm(7, 7, "ghost", 10);
  threads.exit(7, 7, 11);
  threads.set_comm(7, 7, "back", 12);
  threads.forget_before(100);
  EXPECT_EQ(name_at(threads, 7, 100), "back");
  threads.exit(9, 9, 100);
  EXPECT_EQ(threads.tasks().size(), 1u) << "the end of an unknown thread makes none";
}

TEST(ThreadTable, MarksTheSpacesThatAreInUse) {
  ThreadTable threads;
  threads.set_space(1, 1, SpaceId(0), 1);
  threads.set_space(1, 1, SpaceId(2), 2);
  threads.fork(5, 5, CommId(), SpaceId(4), 3);
  std::vector<bool> used(6);
  threads.mark_spaces(used);
  EXPECT_EQ(used, (std::vector<bool>{true, false, true, false, true, false}));
  threads.forget_before(2);
  used.assign(6, false);
  threads.mark_spaces(used);
  EXPECT_EQ(used, (std::vector<bool>{false, false, true, false, true, false}));
}

TEST(ThreadTable, GrowsWithoutLosingThreads) {
  ThreadTable threads;
  constexpr u32 kCount = 20'000;
  for (u32 i = 1; i <= kCount; ++i) threads.set_comm(i * 64, i * 64, fmt::format("t{}", i % 100), i);
  for (u32 i = 1; i <= kCount; ++i) {
    ASSERT_EQ(name_at(threads, i * 64, kForever), fmt::format("t{}", i % 100));
    ASSERT_EQ(name_at(threads, i * 64, i - 1), fmt::format(":{}", i * 64));
  }
  EXPECT_EQ(threads.comm_count(), 100u);
  EXPECT_TRUE(threads.is_worth_forgetting());
  threads.forget_before(kForever);
  EXPECT_EQ(threads.tasks().size(), kCount) << "none of them ended";
}

}  // namespace
}  // namespace peregrine
