#include "cmd/script/script_live.h"

#include <gtest/gtest.h>

namespace peregrine::cmd {
namespace {

using Strings = std::vector<std::string>;

// "own | recorder's", or the error.
std::string split(const std::string& name, const std::string& arguments, const std::string& words) {
  NamedScript script{.name = name, .arguments = arguments};
  Strings line;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    line.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  const auto found = split_live_words(script, line);
  if (!found) return found.error().message;
  std::string text;
  for (const std::string& word : found->report) text += word + " ";
  text += "|";
  for (const std::string& word : found->record) text += " " + word;
  return text;
}

TEST(ScriptLive, WithoutAMarkOnlyRequiredArgumentsAreTheScripts) {
  EXPECT_EQ(split("syscall-counts", "[comm|pid]", "df"), "| df");
  EXPECT_EQ(split("syscall-counts", "[comm|pid]", "-a sleep 1"), "| -a sleep 1");
  EXPECT_EQ(split("rw-by-file", "<comm>", "cat sleep 1"), "cat | sleep 1");
  EXPECT_EQ(split("flamegraph", "[-o FILE]", "-F 99 ls"), "| -F 99 ls");
  EXPECT_EQ(split("rwtop", "[interval]", "5"), "5 |");
  EXPECT_EQ(split("netdev-times", "", ""), "|");
}

TEST(ScriptLive, AMarkEndsTheArgumentsOfTheScript) {
  EXPECT_EQ(split("netdev-times", "[dev=NAME] [rx] [tx]", "tx -- sleep 0.2"), "tx | -- sleep 0.2");
  EXPECT_EQ(split("syscall-counts", "[comm]", "-a -- sleep 1"), "| -a -- sleep 1");
  EXPECT_EQ(split("syscall-counts", "[comm]", "df -a -- sleep 1"), "df | -a -- sleep 1");
  EXPECT_EQ(split("flamegraph", "[-o FILE]", "-o x.html -- ls -l"), "-o x.html | -- ls -l");
  EXPECT_EQ(split("rwtop", "[interval]", "5 -- ls"), "5 | -- ls");
}

TEST(ScriptLive, TooFewAndTooManyArgumentsAreRefused) {
  EXPECT_EQ(split("rw-by-file", "<comm>", ""), "rw-by-file needs <comm>");
  EXPECT_EQ(split("rw-by-file", "<comm>", "-a"), "rw-by-file needs <comm>");
  EXPECT_EQ(split("syscall-counts", "[comm]", "a b -- ls"), "syscall-counts takes [comm]: 'b' is one too many");
  EXPECT_EQ(split("rwtop", "[interval]", "1 2"), "rwtop takes [interval]: '2' is one too many");
  EXPECT_EQ(split("check", "", "a -- ls"), "check takes no arguments: 'a' is one too many");
}

}  // namespace
}  // namespace peregrine::cmd
