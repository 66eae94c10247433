#include "session/script/shell_file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(ShellFile, EndsWithTheCodeOfTheFile) {
  const TemporaryFolder folder;
  folder.write("ends", "exit $1\n");
  folder.write("killed", "kill -TERM $$\n");
  const auto ended = run_shell_file({.file = folder.path("ends"), .arguments = {"7"}});
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, 7);
  const auto killed = run_shell_file({.file = folder.path("killed")});
  ASSERT_TRUE(killed);
  EXPECT_EQ(*killed, 128 + 15);
}

TEST(ShellFile, RunsWithTheNextShellWhereTheFirstIsMissing) {
  const TemporaryFolder folder;
  folder.write("ends", "exit 3\n");
  const auto ended = run_shell_file({.file = folder.path("ends"), .shells = {"/nonexistent/shell", "/bin/sh"}});
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, 3);
}

TEST(ShellFile, SaysWhichInterpreterCannotBeRun) {
  const TemporaryFolder folder;
  folder.write("ends", "exit 3\n");
  const auto missing = run_shell_file({.file = folder.path("ends"), .shells = {"/nonexistent/shell"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().system_errno, ENOENT);
  EXPECT_NE(missing.error().message.find("ends' with /nonexistent/shell"), std::string::npos)
      << missing.error().message;
  const auto closed = run_shell_file({.file = folder.path("ends"), .shells = {folder.path("ends")}});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().system_errno, EACCES) << "a file without the right to run it";
}

TEST(ShellFile, ConnectsARecorderToItsReport) {
  const TemporaryFolder folder;
  folder.write("record", "echo recorded\n");
  folder.write("report", "read word; test \"$word\" = recorded && exit 5\n");
  folder.write("nothing", "exit 9\n");
  const auto both = run_recorder_and_report({.file = folder.path("record")}, {.file = folder.path("report")});
  ASSERT_TRUE(both);
  EXPECT_EQ(*both, 5);
  const auto silent = run_recorder_and_report({.file = folder.path("nothing")}, {.file = folder.path("report")});
  ASSERT_TRUE(silent);
  EXPECT_EQ(*silent, 9) << "the code of a recorder that recorded nothing";
}

}  // namespace
}  // namespace peregrine
