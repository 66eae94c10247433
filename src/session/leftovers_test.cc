#include "session/leftovers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/kept_messages.h"
#include "support/temporary_folder.h"
#include "sys/kernel/schedstat.h"

namespace peregrine {
namespace {

TEST(Leftovers, AreRemovedAndReportedOnce) {
  const TemporaryFolder folder;
  const Root root(folder.path());
  // Where ownership records are kept.
  std::filesystem::create_directories(
      folder.path(::geteuid() == 0 ? "run" : "run/user/" + std::to_string(::geteuid())));
  const std::string setting = folder.path("proc/sys/kernel/sched_schedstats");
  std::filesystem::create_directories(std::filesystem::path(setting).parent_path());
  std::ofstream(setting) << "0\n";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto engaged = SchedStatsSwitch::engage(root);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  testing::KeptMessages messages;
  remove_leftovers(root, messages);
  EXPECT_EQ(messages.take(),
            "warning: removed leftovers of killed process " + std::to_string(child) + ": kernel.sched_schedstats\n");
  remove_leftovers(root, messages);
  EXPECT_EQ(messages.take(), "");
}

}  // namespace
}  // namespace peregrine
