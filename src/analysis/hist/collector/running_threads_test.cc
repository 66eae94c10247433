#include "analysis/hist/collector/running_threads.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

abi::SideBand switched(u32 tid, bool out) {
  abi::SideBand record{.body = abi::SwitchRecord{.out = out}};
  record.id.tid = tid;
  return record;
}

TEST(RunningThreads, CountsFromSwitchInToSwitchOut) {
  RunningThreads threads;
  EXPECT_EQ(threads.parallelism(1), 1u);
  threads.apply(switched(2, false));
  EXPECT_EQ(threads.parallelism(1), 2u);
  threads.apply(switched(0, false));  // the idle task
  EXPECT_EQ(threads.parallelism(2), 2u);
  threads.apply(switched(1, true));
  EXPECT_EQ(threads.parallelism(2), 1u);
}

TEST(RunningThreads, ThreadThatEndsRunsNoMore) {
  RunningThreads threads;
  threads.apply(switched(1, false));
  threads.apply(switched(2, false));
  threads.apply({.body = abi::ExitRecord{.pid = 1, .tid = 2}});
  EXPECT_EQ(threads.parallelism(1), 1u);
}

}  // namespace
}  // namespace peregrine
