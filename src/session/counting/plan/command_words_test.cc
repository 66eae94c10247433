#include "session/counting/plan/command_words.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

using WordList = std::vector<std::string>;

TEST(SplitCommand, CutsAsAShellDoes) {
  EXPECT_EQ(split_command("  ./old  -n 3 "), (WordList{"./old", "-n", "3"}));
  EXPECT_EQ(split_command("sh -c 'a | b' \"x y\""), (WordList{"sh", "-c", "a | b", "x y"}));
  EXPECT_EQ(split_command("a\\ b c\"d\"'e' ''"), (WordList{"a b", "cde", ""}));
  EXPECT_EQ(split_command(""), WordList{});
}

TEST(SplitCommand, LeavesShellsToShells) {
  EXPECT_FALSE(split_command("a | b"));
  EXPECT_FALSE(split_command("echo $HOME"));
  EXPECT_FALSE(split_command("echo 'open"));
}

}  // namespace
}  // namespace peregrine
