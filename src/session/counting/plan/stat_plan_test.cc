#include "session/counting/plan/stat_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#include "capture/target/target.h"
#include "support/kept_messages.h"

namespace peregrine {
namespace {

using ::testing::IsEmpty;

// A request that counts no events, for this process and others.
StatRequest request_for(TargetRequest target) {
  StatRequest request;
  request.null_run = true;
  request.target = std::move(target);
  return request;
}

TEST(StatPlan, ProcessesOverrideThreadsAndCpus) {
  const std::string self = std::to_string(::getpid());
  StatRequest request =
      request_for({.system_wide = true, .cpus = "0", .pids = self, .tids = std::to_string(::gettid()), .user = {}});
  testing::KeptMessages messages;
  const auto plan = make_stat_plan(request, messages);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(messages.take(),
            "PID switch overriding TID\nPID/TID switch overriding CPU\nPID/TID switch overriding SYSTEM\n");
  EXPECT_NE(plan->target.kind, TargetKind::Cpus);
  EXPECT_THAT(plan->target.threads, ::testing::Contains(::getpid()));
  EXPECT_EQ(stat_subject(request), "process id '" + self + "'");
}

TEST(StatPlan, CountsTheWholeMachineWithoutAnyTarget) {
  StatRequest request = request_for({});
  testing::KeptMessages messages;
  const auto plan = make_stat_plan(request, messages);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->target.kind, TargetKind::Cpus);
  EXPECT_THAT(plan->events, IsEmpty());
  EXPECT_EQ(messages.take(), "");
  EXPECT_EQ(stat_subject(request), "'system wide'");
}

TEST(StatPlan, CountsACommandOnTheChosenCpus) {
  StatRequest request = request_for({.cpus = "0", .pids = {}, .tids = {}, .user = {}});
  request.runs.command = {"true"};
  testing::KeptMessages messages;
  const auto plan = make_stat_plan(request, messages);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->target.kind, TargetKind::Cpus);
  EXPECT_EQ(messages.take(), "");
  EXPECT_EQ(stat_subject(request), "'CPU(s) 0'");
}

// Any user can give a thread any name.
TEST(StatPlan, NamesThreadsInPrintableCharacters) {
  char before[16] = {};
  ASSERT_EQ(::prctl(PR_GET_NAME, before), 0);
  ASSERT_EQ(::prctl(PR_SET_NAME, "\x1b[31mA\x9b\x37\x07"), 0);
  StatRequest request = request_for({.cpus = {}, .pids = {}, .tids = std::to_string(::gettid()), .user = {}});
  request.rows.aggregation = StatAggregation::Thread;
  testing::KeptMessages messages;
  const auto plan = make_stat_plan(request, messages);
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->layout.places.size(), 1u);
  EXPECT_EQ(plan->layout.places[0].comm, "\\x1b[31mA\\x9b7\\x07");
  EXPECT_EQ(plan->layout.places[0].label, fmt::format("\\x1b[31mA\\x9b7\\x07-{}", ::gettid()));
}

}  // namespace
}  // namespace peregrine
