#include "session/counting/ended_runs.h"

#include <gtest/gtest.h>

#include <csignal>
#include <initializer_list>

namespace peregrine {
namespace {

// Runs with these wait statuses.
EndedRuns runs_with(std::initializer_list<int> statuses) {
  EndedRuns runs;
  for (const int status : statuses) {
    WorkloadExit exit;
    exit.status = status;
    runs.add(exit);
  }
  return runs;
}

constexpr int kExitCode3 = 3 << 8;

TEST(EndedRuns, SaysNothingAboutRunsThatExited) {
  EXPECT_EQ(runs_with({}).text("sleep"), "");
  EXPECT_EQ(runs_with({0, kExitCode3}).text("sleep"), "");
}

TEST(EndedRuns, NamesTheSignalOfASingleRun) { EXPECT_EQ(runs_with({SIGTERM}).text("sleep"), "sleep: Terminated\n"); }

TEST(EndedRuns, CountsTheRunsThatASignalEnded) {
  EXPECT_EQ(runs_with({SIGTERM, SIGTERM, SIGTERM}).text("sleep"), "sleep: Terminated (3 of 3 runs)\n");
}

TEST(EndedRuns, CountsAnEarlierRunToo) {
  EXPECT_EQ(runs_with({SIGTERM, 0, kExitCode3}).text("sleep"), "sleep: Terminated (1 of 3 runs)\n");
}

TEST(EndedRuns, HasALinePerSignal) {
  EXPECT_EQ(runs_with({SIGTERM, SIGSEGV, SIGTERM}).text("a"),
            "a: Segmentation fault (1 of 3 runs)\na: Terminated (2 of 3 runs)\n");
}

}  // namespace
}  // namespace peregrine
