#include "capture/target/end_wait.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace peregrine {
namespace {

using std::chrono::milliseconds;

TEST(WaitForEnd, WithoutACommandEndsAtASignal) {
  auto watch = Watch::open({SIGUSR1});
  ASSERT_TRUE(watch);
  std::optional<Workload> none;
  int looks = 0;
  ::raise(SIGUSR1);
  EXPECT_TRUE(wait_for_end(*watch, none, {.period = milliseconds(-1), .look = [&] { ++looks; }}));
  EXPECT_EQ(looks, 1);
}

TEST(WaitForEnd, WithoutACommandEndsWhenAllThatIsWatchedIsGone) {
  auto watch = Watch::open({SIGUSR1});
  ASSERT_TRUE(watch);
  std::optional<Workload> none;
  int asked = 0;
  EXPECT_TRUE(wait_for_end(*watch, none, {.period = milliseconds(1), .gone = [&] { return ++asked == 3; }}));
  EXPECT_EQ(asked, 3);
}

TEST(WaitForEnd, TheCommandGetsTheSignalAndDecides) {
  auto watch = Watch::open({SIGTERM});
  ASSERT_TRUE(watch);
  auto workload = start_watched({"sleep", "600"}, *watch);
  ASSERT_TRUE(workload);
  ASSERT_TRUE((*workload)->let_go());
  ::raise(SIGTERM);
  const auto never_gone = [] { return true; };  // not queried while there is a command
  EXPECT_TRUE(wait_for_end(*watch, *workload, {.period = milliseconds(20), .gone = never_gone}));
  EXPECT_EQ((*workload)->wait().signal(), SIGTERM);
}

}  // namespace
}  // namespace peregrine
