#include "cmd/events/unmeasured_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace peregrine::cmd {
namespace {

class UnmeasuredProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_) << "#!/bin/sh\n";
    ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = ::testing::TempDir() + "/unmeasured." + std::to_string(::getpid());
};

TEST_F(UnmeasuredProgram, AcceptsReadableProgramsAndMissingOnes) {
  EXPECT_EQ(why_unmeasured(path_), "");
  EXPECT_EQ(why_unmeasured(path_ + ".missing"), "");
  EXPECT_EQ(why_unmeasured(""), "");
}

TEST_F(UnmeasuredProgram, AcceptsSetuidOfTheSameUser) {
  ASSERT_EQ(::chmod(path_.c_str(), 04755), 0);
  EXPECT_EQ(why_unmeasured(path_), "");
}

TEST_F(UnmeasuredProgram, ReportsUnreadablePrograms) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every file";
  ASSERT_EQ(::chmod(path_.c_str(), 0311), 0);
  EXPECT_EQ(why_unmeasured(path_), "your user must not read it");
}

TEST_F(UnmeasuredProgram, ReportsSetuidOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 04755), 0);
  EXPECT_EQ(why_unmeasured(path_), "it runs with other rights than yours");
}

}  // namespace
}  // namespace peregrine::cmd
