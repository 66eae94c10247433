#include "trial/epoll.h"

#include <gtest/gtest.h>

#include <set>

namespace peregrine {
namespace {

TEST(EpollFilesOfThreads, AreOpenAndDifferent) {
  const auto files = open_epoll_files({.timed = {.threads = 2}, .files = 3});
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 2u);
  std::set<int> numbers;
  for (const auto& list : *files) {
    EXPECT_EQ(list.size(), 3u);
    for (const Fd& file : list) {
      EXPECT_GE(file.get(), 0);
      numbers.insert(file.get());
    }
  }
  EXPECT_EQ(numbers.size(), 6u);
}

// EPOLLET and EPOLLONESHOT report a file once, so it must be re-armed after each read.
TEST(EpollWait, SeesFilesWithEveryKindOfReport) {
  for (const bool edge : {false, true}) {
    for (const bool once : {false, true}) {
      const EpollPlan plan{.timed = {.threads = 1, .seconds = 1},
                           .files = 2,
                           .edge = edge,
                           .once = once,
                           .blocking = !edge,
                           .random = once};
      const auto files = open_epoll_files(plan);
      ASSERT_TRUE(files) << files.error().message;
      const auto seen = run_epoll_wait(plan, *files);
      ASSERT_TRUE(seen) << seen.error().message;
      ASSERT_EQ(seen->size(), 1u);
      EXPECT_GT((*seen)[0], 2u) << "edge " << edge << ", once " << once << ": each file more than once";
    }
  }
}

}  // namespace
}  // namespace peregrine
