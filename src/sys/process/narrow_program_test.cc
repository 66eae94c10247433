#include "sys/process/narrow_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace peregrine {
namespace {

class NarrowProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/narrow_program";
    std::filesystem::create_directories(folder_ + "/proc/7");
    write("narrow", std::string("\x7f"
                                "ELF\1\1\1",
                                7));
    write("wide", std::string("\x7f"
                              "ELF\2\1\1",
                              7));
    write("script", "#!/bin/sh\n");
    write("proc/7/exe", std::string("\x7f"
                                    "ELF\1",
                                    5));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    ::chmod((folder_ + "/" + name).c_str(), 0755);
  }
  std::string folder_;
};

TEST_F(NarrowProgram, IsKnownByItsFile) {
  EXPECT_TRUE(is_narrow_program(folder_ + "/narrow"));
  for (const char* other : {"/wide", "/script", "/none", ""}) EXPECT_FALSE(is_narrow_program(folder_ + other)) << other;
}

TEST_F(NarrowProgram, IsFoundAsTheShellFindsIt) {
  EXPECT_TRUE(is_narrow_command(folder_ + "/narrow", ""));
  EXPECT_TRUE(is_narrow_command("narrow", "/nonexistent:" + folder_));
  EXPECT_FALSE(is_narrow_command("wide", folder_));
  EXPECT_FALSE(is_narrow_command("narrow", "/nonexistent"));
  EXPECT_FALSE(is_narrow_command("narrow", ""));
}

TEST_F(NarrowProgram, IsSeenInProcesses) {
  EXPECT_TRUE(runs_narrow_program(Root(folder_), 7));
  EXPECT_FALSE(runs_narrow_program(Root(folder_), 8));
  EXPECT_FALSE(runs_narrow_program(Root(), ::getpid()));
}

}  // namespace
}  // namespace peregrine
