#include "session/events/unmeasured_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/kept_messages.h"

namespace peregrine {
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
  EXPECT_EQ(why_unmeasured(path_), "you do not have permission to read it");
}

TEST_F(UnmeasuredProgram, ReportsSetuidOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 04755), 0);
  EXPECT_EQ(why_unmeasured(path_), "it runs with different privileges");
}

TEST_F(UnmeasuredProgram, WarnsAboutProgramsOfTheSearchPath) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 04755), 0);
  testing::KeptMessages heard;
  warn_about_unmeasured_program(std::filesystem::path(path_).filename(), ::testing::TempDir(), heard);
  EXPECT_NE(heard.take().find("it runs with different privileges\nhint: measure all CPUs (-a)\n"), std::string::npos);
  warn_about_unmeasured_program("no-such-program", ::testing::TempDir(), heard);
  EXPECT_EQ(heard.take(), "");
}

}  // namespace
}  // namespace peregrine
