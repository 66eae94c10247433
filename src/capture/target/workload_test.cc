#include "capture/target/workload.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

namespace peregrine {
namespace {

sigset_t no_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  return mask;
}

TEST(Workload, PassesTheExitCodeOn) {
  auto workload = Workload::start({"sh", "-c", "exit 7"}, no_signals());
  ASSERT_TRUE(workload);
  EXPECT_TRUE(workload->release());
  EXPECT_EQ(workload->wait().code(), 7);
}

TEST(Workload, TellsWhichSignalEndedIt) {
  auto workload = Workload::start({"sh", "-c", "kill -TERM $$"}, no_signals());
  ASSERT_TRUE(workload);
  EXPECT_TRUE(workload->release());
  EXPECT_EQ(workload->wait().signal(), SIGTERM);
}

TEST(Workload, ReportsAFailedExec) {
  auto workload = Workload::start({"/no/such/program"}, no_signals());
  ASSERT_TRUE(workload);
  const auto released = workload->release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().message, "cannot run '/no/such/program': No such file or directory");
}

TEST(Workload, AnUnreleasedChildRunsNothing) {
  auto workload = Workload::start({"sh", "-c", "exit 1"}, no_signals());
  ASSERT_TRUE(workload);
  const Pid pid = workload->pid();
  {
    const Workload dropped = std::move(*workload);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Workload, OneThatNobodyWaitsForIsEnded) {
  auto workload = Workload::start({"sleep", "60"}, no_signals());
  ASSERT_TRUE(workload);
  const Pid pid = workload->pid();
  {
    Workload dropped = std::move(*workload);
    ASSERT_TRUE(dropped.release());
  }
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace peregrine
