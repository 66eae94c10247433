#include "session/trace/record_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// The arguments that follow each "-e", joined.
std::vector<std::string> events_of(const TraceRequest& request) {
  const std::vector<std::string> arguments = event_arguments(request);
  std::vector<std::string> events;
  for (auto at = arguments.begin(); (at = std::find(at, arguments.end(), "-e")) != arguments.end();)
    events.push_back(*++at);
  return events;
}

TEST(EventArguments, SampleEveryCall) {
  EXPECT_THAT(event_arguments({}),
              ElementsAre("-R", "-c", "1", "-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit"));
}

TEST(EventArguments, FilterFewCalls) {
  TraceRequest request;
  std::vector<std::string> others;
  ASSERT_TRUE(request.calls.add("getppid", others));
  const auto arguments = event_arguments(request);
  EXPECT_EQ(std::ranges::count(arguments, "--filter"), 2);
  EXPECT_EQ(std::ranges::count_if(arguments, [](const std::string& one) { return one.starts_with("id == "); }), 2);
}

TEST(EventArguments, DoNotFilterManyCalls) {
  TraceRequest request;
  std::vector<std::string> others;
  ASSERT_TRUE(request.calls.add("!getppid", others));
  EXPECT_EQ(std::ranges::count(event_arguments(request), "--filter"), 0);
}

TEST(EventArguments, HaveFaultsAndRunTimes) {
  TraceRequest request;
  request.faults = "all";
  request.sched = true;
  EXPECT_THAT(events_of(request), ElementsAre("major-faults", "minor-faults", "sched:sched_stat_runtime"));
}

TEST(EventArguments, EndWithTheUsersEvents) {
  TraceRequest request;
  request.syscalls = false;
  request.event_options = {"-e", "sched:sched_switch", "--filter", "prev_pid == 1"};
  const auto arguments = event_arguments(request);
  ASSERT_GE(arguments.size(), 4u);
  EXPECT_THAT(std::vector(arguments.end() - 4, arguments.end()),
              ElementsAre("-e", "sched:sched_switch", "--filter", "prev_pid == 1"));
}

TEST(TargetArguments, NameProcessesBeforeCpus) {
  EXPECT_THAT(target_arguments({.cpus = "0", .pids = "1,2", .tids = {}, .user = {}}, std::nullopt),
              ElementsAre("-p", "1,2"));
  EXPECT_THAT(target_arguments({}, 7), ElementsAre("-p", "7"));
  EXPECT_THAT(target_arguments({.cpus = "0", .pids = {}, .tids = {}, .user = "5"}, std::nullopt),
              ElementsAre("-u", "5", "-C", "0"));
  EXPECT_THAT(target_arguments({}, std::nullopt), ElementsAre("-a"));
}

}  // namespace
}  // namespace peregrine
