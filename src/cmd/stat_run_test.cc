#include "cmd/stat_run.h"

#include <gtest/gtest.h>

namespace peregrine::cmd {
namespace {

using Words = std::vector<std::string>;

TEST(SplitCommand, CutsAsAShellDoes) {
  EXPECT_EQ(split_command("  ./old  -n 3 "), (Words{"./old", "-n", "3"}));
  EXPECT_EQ(split_command("sh -c 'a | b' \"x y\""), (Words{"sh", "-c", "a | b", "x y"}));
  EXPECT_EQ(split_command("a\\ b c\"d\"'e' ''"), (Words{"a b", "cde", ""}));
  EXPECT_EQ(split_command(""), Words{});
}

TEST(SplitCommand, LeavesShellsToShells) {
  EXPECT_FALSE(split_command("a | b"));
  EXPECT_FALSE(split_command("echo $HOME"));
  EXPECT_FALSE(split_command("echo 'open"));
}

}  // namespace
}  // namespace peregrine::cmd
