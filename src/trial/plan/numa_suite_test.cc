#include "trial/plan/numa_suite.h"

#include <gtest/gtest.h>

#include "base/types.h"
#include "trial/timed_run.h"

namespace peregrine {
namespace {

TEST(NumaSuite, SettlesThreadsAndLimitsTasks) {
  NumaPlan plan;
  ASSERT_TRUE(settle(plan));
  EXPECT_EQ(plan.threads, thread_count({}));
  NumaPlan given{.processes = 2, .threads = 3};
  ASSERT_TRUE(settle(given));
  EXPECT_EQ(given.tasks(), 6u);
  NumaPlan most{.processes = kMostThreads, .threads = 1};
  EXPECT_TRUE(settle(most));
  NumaPlan none{.processes = 0};
  ASSERT_FALSE(settle(none));
  EXPECT_EQ(settle(none).error().kind, ErrorKind::Usage);
  // 2^16 × 2^16 would wrap around to 0.
  NumaPlan many{.processes = kMostThreads, .threads = kMostThreads};
  ASSERT_FALSE(settle(many));
  EXPECT_EQ(settle(many).error().message,
            "65536 processes with 65536 threads each exceed the maximum of 65536 threads");
}

TEST(NumaSuite, VariesTasksAndMemoryOnly) {
  const NumaPlan base{.processes = 7, .threads = 7, .global = 1, .loops = 3, .seconds = 2, .backwards = true};
  const auto suite = numa_suite(base);
  ASSERT_EQ(suite.size(), 7u);
  for (const NamedNumaPlan& each : suite) {
    EXPECT_EQ(each.plan.loops, 3) << each.name;
    EXPECT_EQ(each.plan.seconds, 2u) << each.name;
    EXPECT_TRUE(each.plan.backwards) << each.name;
    EXPECT_EQ(each.plan.global, 0u) << each.name;
    EXPECT_NE(each.plan.process == 0, each.plan.thread == 0) << each.name;
    EXPECT_EQ(each.plan.until_converged, each.name.ends_with("-convergence")) << each.name;
  }
  EXPECT_EQ(suite[0].name, "1x1-local-memory");
  EXPECT_EQ(suite[0].plan.tasks(), 1u);
  EXPECT_EQ(suite[0].plan.thread, u64{256} << 20);
  EXPECT_EQ(suite[2].name, "Nx1-local-memory");
  EXPECT_EQ(suite[2].plan.processes, thread_count({}));
}

TEST(NumaSuite, SummarizesTasks) {
  const NumaTask tasks[] = {{.seconds = 4, .bytes = 6'000'000'000}, {.seconds = 2, .bytes = 2'000'000'000}};
  const NumaSummary sums = summarize(tasks);
  EXPECT_DOUBLE_EQ(sums.slowest, 4);
  EXPECT_DOUBLE_EQ(sums.fastest, 2);
  EXPECT_DOUBLE_EQ(sums.mean, 3);
  EXPECT_DOUBLE_EQ(sums.spread_percent, 25);
  EXPECT_DOUBLE_EQ(sums.bytes, 8e9);
  EXPECT_DOUBLE_EQ(sums.bytes_per_task, 4e9);
  EXPECT_DOUBLE_EQ(sums.ns_per_byte, 1);
  EXPECT_DOUBLE_EQ(sums.speed, 2);
  EXPECT_DOUBLE_EQ(sums.speed_per_task, 1);
}

TEST(NumaSuite, DividesByNothingAsZero) {
  const NumaTask idle[] = {{}, {}};
  const NumaSummary sums = summarize(idle);
  EXPECT_EQ(sums.spread_percent, 0);
  EXPECT_EQ(sums.ns_per_byte, 0);
  EXPECT_EQ(sums.speed, 0);
  EXPECT_EQ(sums.speed_per_task, 0);
}

}  // namespace
}  // namespace peregrine
