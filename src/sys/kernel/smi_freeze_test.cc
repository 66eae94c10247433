// The switch that stops counters in system management mode, and what happens to it when its owner is killed.
#include "sys/kernel/smi_freeze.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class SmiFreezes : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(top_ + (::geteuid() == 0 ? "/run" : "/run/user/" + std::to_string(::geteuid())));
    fs::create_directories(top_ + "/sys/devices/cpu");
    std::ofstream(switch_) << "0\n";
  }
  void TearDown() override { fs::remove_all(top_); }
  std::string state() const { return read_file(switch_).value_or("absent").substr(0, 1); }

  std::string top_ = ::testing::TempDir() + "smi." + std::to_string(::getpid());
  std::string switch_ = top_ + "/sys/devices/cpu/freeze_on_smi";
  Root root_{top_};
};

TEST_F(SmiFreezes, IsSwitchedOffAtTheEnd) {
  {
    const auto freeze = SmiFreeze::engage(root_);
    ASSERT_TRUE(freeze) << freeze.error().message;
    EXPECT_EQ(state(), "1");
  }
  EXPECT_EQ(state(), "0");
  EXPECT_TRUE(OwnershipRecord::abandoned(root_).empty());
}

TEST_F(SmiFreezes, StaysOnWhereItWasOn) {
  std::ofstream(switch_) << "1\n";
  ASSERT_TRUE(SmiFreeze::engage(root_));
  EXPECT_EQ(state(), "1");
}

TEST_F(SmiFreezes, IsSwitchedOffByTheNextStartAfterAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto freeze = SmiFreeze::engage(root_);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(state(), "1") << "nobody was left to switch it off";
  auto records = OwnershipRecord::abandoned(root_);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_TRUE(undo_abandoned_freeze(root_, records[0]));
  EXPECT_EQ(state(), "0");
  records.clear();
  EXPECT_TRUE(OwnershipRecord::abandoned(root_).empty());
}

}  // namespace
}  // namespace peregrine
