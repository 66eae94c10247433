#include "analysis/trace/call_summary.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>

namespace peregrine {
namespace {

TracedCall timed_call(i32 tid, u32 number, u64 duration, i64 result = 0) {
  TracedCall call;
  call.tid = tid;
  call.number = number;
  call.duration = duration;
  call.result = result;
  return call;
}

TEST(CallSummary, SumsTheCallsOfAThread) {
  CallSummary summary(SumBy::Thread);
  summary.add(timed_call(7, 1, 10));
  summary.add(timed_call(7, 1, 30));
  summary.add(timed_call(7, 0, 100, -EAGAIN));
  const auto blocks = summary.blocks();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].tid, 7);
  EXPECT_EQ(blocks[0].events, 6u) << "each call has a begin and an end";
  ASSERT_EQ(blocks[0].rows.size(), 2u);
  EXPECT_EQ(blocks[0].rows[0].number, 0u) << "it took longest";
  EXPECT_EQ(blocks[0].rows[0].stats.by_error.at(EAGAIN), 1u);
  const CallStats& fast = blocks[0].rows[1].stats;
  EXPECT_EQ(fast.calls, 2u);
  EXPECT_EQ(fast.errors, 0u);
  EXPECT_EQ(fast.least, 10u);
  EXPECT_EQ(fast.most, 30u);
  EXPECT_DOUBLE_EQ(fast.average(), 20);
  EXPECT_DOUBLE_EQ(fast.relative_error(), 50) << "10 of 20";
}

TEST(CallSummary, BlocksWithMostEventsComeFirst) {
  CallSummary summary(SumBy::Thread);
  summary.add(timed_call(7, 1, 1000));
  summary.add(timed_call(8, 1, 1));
  summary.add(timed_call(8, 1, 1));
  EXPECT_EQ(summary.blocks().at(0).tid, 8);
  for (int i = 0; i < 9; ++i) summary.count_event(7);
  EXPECT_EQ(summary.blocks().at(0).tid, 7);
  EXPECT_EQ(summary.blocks().at(0).events, 9u) << "counted samples are the events";
}

TEST(CallSummary, WithoutThreadsEverythingIsOneBlock) {
  CallSummary summary(SumBy::Total);
  summary.add(timed_call(7, 1, 10));
  summary.add(timed_call(8, 1, 20));
  ASSERT_EQ(summary.blocks().size(), 1u);
  EXPECT_EQ(summary.blocks()[0].rows.at(0).stats.total, 30u);
}

TEST(CallSummary, ValuesAboveTheErrorsAreNoErrors) {
  CallSummary summary(SumBy::Thread);
  summary.add(timed_call(7, 9, 1, -4096));  // an address, as mmap returns
  summary.add(timed_call(7, 9, 1, -4095));
  EXPECT_EQ(summary.blocks().at(0).rows.at(0).stats.errors, 1u);
}

TEST(CallSummary, KeepsTheRuntimeOfAThread) {
  CallSummary summary(SumBy::Thread);
  summary.add(timed_call(7, 1, 10));
  summary.add_runtime(7, 500);
  summary.add_runtime(7, 5);
  summary.add_runtime(9, 1);  // no calls, so no block
  ASSERT_EQ(summary.blocks().size(), 1u);
  EXPECT_EQ(summary.blocks()[0].runtime, 505u);
}

TEST(CallSummary, AddsSumsOfTheKernel) {
  CallSummary summary(SumBy::Cgroup);
  summary.add(CallSum{.cgroup = 70, .number = 1, .calls = 3, .total = 60, .least = 10, .most = 30, .squares = 1400});
  summary.add(CallSum{.cgroup = 70,
                      .number = 1,
                      .error = ENOENT,
                      .calls = 2,
                      .errors = 2,
                      .total = 8,
                      .least = 4,
                      .most = 4,
                      .squares = 32});
  const auto blocks = summary.blocks();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].cgroup, 70u);
  const CallStats& stats = blocks[0].rows.at(0).stats;
  EXPECT_EQ(stats.calls, 5u);
  EXPECT_EQ(stats.least, 4u);
  EXPECT_EQ(stats.most, 30u);
  EXPECT_EQ(stats.by_error.at(ENOENT), 2u);
}

TEST(CallStats, NeedsTwoCallsForAnError) {
  CallStats stats;
  EXPECT_EQ(stats.average(), 0);
  EXPECT_EQ(stats.relative_error(), 0);
  stats = {.calls = 1, .total = 10, .squares = 100};
  EXPECT_EQ(stats.relative_error(), 0);
  stats = {.calls = 2, .total = 20, .squares = 199.999};  // rounding error
  EXPECT_FALSE(std::isnan(stats.relative_error()));
}

}  // namespace
}  // namespace peregrine
