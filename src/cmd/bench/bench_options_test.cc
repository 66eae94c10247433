// Tests what the options of the `bench` benchmarks request, and which values they reject. Nothing is measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/bench/bench_trials.h"
#include "cmd/test_options.h"
#include "session/bench/breakpoint_trials.h"
#include "session/bench/epoll_trials.h"
#include "session/bench/futex_trials.h"
#include "session/bench/sched_trials.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Command& trial_named(std::span<const Trial> trials, std::string_view name) {
  return *std::ranges::find(trials, name, &Trial::name)->command;
}

TEST(TrialOptions, MessagingHasGroupsOfForty) {
  const Command& messaging = trial_named(sched_trials(), "messaging");
  const auto usual = options_of<MessagingTrialRequest>(messaging, {});
  EXPECT_EQ(usual->plan.groups, 10u);
  EXPECT_EQ(usual->plan.loops, 100u);
  EXPECT_FALSE(usual->plan.threads);
  const auto chosen = options_of<MessagingTrialRequest>(messaging, {"-p", "-t", "-g", "3", "-l", "7"});
  EXPECT_TRUE(chosen->plan.pipes);
  EXPECT_TRUE(chosen->plan.threads);
  EXPECT_EQ(chosen->plan.groups, 3u);
  EXPECT_EQ(chosen->plan.loops, 7u);
  // At most 65,536 tasks; a group has 40.
  EXPECT_EQ(refusal_of<MessagingTrialRequest>(messaging, {"-g", "1638"}), "accepted");
  EXPECT_EQ(refusal_of<MessagingTrialRequest>(messaging, {"-g", "1639"}), "-g: 1639 is too large: at most 1638");
}

TEST(TrialOptions, ControlGroupsAreOneOrTwo) {
  const Command& pipe = trial_named(sched_trials(), "pipe");
  EXPECT_THAT(options_of<PipeTrialRequest>(pipe, {})->groups, ElementsAre());
  EXPECT_THAT(options_of<PipeTrialRequest>(pipe, {"-G", "both"})->groups, ElementsAre("both"));
  EXPECT_THAT(options_of<PipeTrialRequest>(pipe, {"-G", "a,b"})->groups, ElementsAre("a", "b"));
  EXPECT_THAT(options_of<PipeTrialRequest>(pipe, {"-G", "a,b", "--no-cgroups"})->groups, ElementsAre());
  EXPECT_FALSE(called(pipe, {"-G", "a,b,c"}).error.message.empty()) << "there are only two tasks";
  EXPECT_FALSE(called(pipe, {"-G", "a", "-T"}).error.message.empty()) << "threads of a process share one";
}

TEST(TrialOptions, EpollThreadsAndFilesAreLimited) {
  const Command& wait = trial_named(epoll_trials(), "wait");
  const auto usual = options_of<EpollTrialRequest>(wait, {});
  EXPECT_EQ(usual->plan.files, 64u);
  EXPECT_EQ(usual->plan.timed.seconds, 8u);
  EXPECT_EQ(usual->plan.timed.threads, 0u);
  const auto chosen =
      options_of<EpollTrialRequest>(wait, {"-BEmnRS", "-f", "5", "-N", "2", "-r", "1", "-t", "4", "-vv"});
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_TRUE(chosen->nonblocking && chosen->unbound && chosen->plan.edge && chosen->plan.one_each &&
              chosen->plan.random && chosen->plan.once);
  EXPECT_EQ(chosen->plan.files, 5u);
  EXPECT_EQ(chosen->plan.nesting, 2u);
  EXPECT_EQ(chosen->plan.timed.threads, 4u);
  EXPECT_EQ(chosen->verbose, 2);
  EXPECT_EQ(refusal_of<EpollTrialRequest>(wait, {"--threads", "65537"}),
            "--threads: 65537 is too large: at most 65536");
  EXPECT_EQ(refusal_of<EpollTrialRequest>(wait, {"-f", "1048577"}), "-f: 1048577 is too large: at most 1048576");
}

// Changing the set does not wait, so it has no waiting methods.
TEST(TrialOptions, EpollChangesHaveNoWaysToWait) {
  const Command& control = trial_named(epoll_trials(), "ctl");
  EXPECT_EQ(refusal_of<EpollTrialRequest>(control, {"-f", "5", "-N", "1", "-nR"}), "accepted");
  for (const char* of_wait : {"-B", "-E", "-m", "-S"})
    EXPECT_NE(refusal_of<EpollTrialRequest>(control, {of_wait}), "accepted") << of_wait;
}

TEST(TrialOptions, LettersOfFutexTrialsDependOnTheTrial) {
  const auto futex = [](std::string_view name, const std::vector<std::string>& arguments) {
    auto options = options_of<FutexTrialRequest>(trial_named(futex_trials(), name), arguments);
    EXPECT_TRUE(options) << name << ": " << (options ? "" : options.error().message);
    return options.value_or(FutexTrialRequest{});
  };
  EXPECT_EQ(futex("hash", {"-f", "16", "-r", "2"}).words, 16u);
  EXPECT_TRUE(futex("lock-pi", {"-M"}).multiple);
  EXPECT_EQ(futex("wake", {"-w", "3"}).at_once, 3u) << "threads that are woken";
  EXPECT_EQ(futex("wake-parallel", {"-w", "3"}).wakers, 3u) << "threads that wake";
  EXPECT_EQ(futex("wake-parallel", {"-w", "3"}).at_once, 1u);
  EXPECT_TRUE(futex("requeue", {"-B"}).all_at_once);
  EXPECT_TRUE(futex("requeue", {"-p"}).priorities);
  for (const char* name : {"hash", "lock-pi", "wake", "wake-parallel", "requeue"}) {
    const FutexTrialRequest all = futex(name, {"-S", "-s", "-m", "-t", "9"});
    EXPECT_TRUE(all.shared && all.silent && all.lock_memory) << name;
    EXPECT_EQ(all.threads, 9u) << name;
    EXPECT_EQ(futex(name, {}).threads, 0u) << name << ": one per CPU";
  }
}

TEST(TrialOptions, BreakpointTrialsCountThreads) {
  const auto started =
      options_of<BreakpointTrialRequest>(trial_named(breakpoint_trials(), "thread"), {"-b", "2", "-p", "3", "-t", "4"});
  EXPECT_EQ(started->breakpoints, 2u);
  EXPECT_EQ(started->parallel, 3u) << "-p of this trial";
  EXPECT_EQ(started->threads, 4u);
  const auto switched =
      options_of<BreakpointTrialRequest>(trial_named(breakpoint_trials(), "enable"), {"-a", "5", "-p", "6"});
  EXPECT_EQ(switched->active, 5u);
  EXPECT_EQ(switched->passive, 6u) << "and of the other";
  EXPECT_EQ(switched->parallel, 1u);
}

TEST(TrialOptions, MemoryFunctionsAreListed) {
  for (const char* name : {"memcpy", "memset"}) {
    const Command& trial = trial_named(memory_trials(), name);
    const Called help = called(trial, {"-f", "help"});
    EXPECT_EQ(help.code, 1) << "as for an unknown one";
    EXPECT_THAT(help.printed, HasSubstr("Available functions:\n\tdefault ... ")) << name;
    EXPECT_EQ(help.said, "");
    const Called unknown = called(trial, {"-f", "fast"});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_EQ(unknown.said, "Unknown function: fast\n");
    EXPECT_EQ(unknown.printed, help.printed);
  }
  const Called ways = called(trial_named(memory_trials(), "mmap"), {"-f", "help"});
  EXPECT_THAT(ways.printed, HasSubstr("\tdemand ... "));
  EXPECT_THAT(ways.printed, HasSubstr("\tpopulate ... "));
}

TEST(TrialOptions, SizesOfMemoryAreChecked) {
  for (const char* name : {"memcpy", "memset", "mmap"})
    for (const char* wrong : {"x", "-1MB", ""})
      EXPECT_EQ(called(trial_named(memory_trials(), name), {"-s", wrong}).error.kind, ErrorKind::Usage)
          << name << " " << wrong;
}

TEST(TrialOptions, SizesOfNumaTrialsAreMegabytes) {
  const Command& numa = trial_named(numa_trials(), "mem");
  for (const char* option : {"-G", "-P", "-L", "-T"})
    for (const char* wrong : {"x", "", "-1", "-0.5", "1e9", "nan", "inf", "1MB"})
      EXPECT_EQ(misuse_of(numa, {option, wrong}), std::string("invalid number of megabytes '") + wrong + "'") << option;
}

TEST(TrialOptions, PlacesOfNumaTasksAreChecked) {
  const Command& numa = trial_named(numa_trials(), "mem");
  for (const char* wrong : {"x", "3-1", "1x0", "0,,1"}) {
    EXPECT_EQ(called(numa, {"-C", wrong}).error.kind, ErrorKind::Usage) << "-C " << wrong;
    EXPECT_EQ(called(numa, {"-M", wrong}).error.kind, ErrorKind::Usage) << "-M " << wrong;
  }
}

}  // namespace
}  // namespace peregrine::cmd
