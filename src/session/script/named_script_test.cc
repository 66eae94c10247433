#include "session/script/named_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using NameList = std::vector<std::string>;

// The arguments as "script's | recorder's", or the error.
std::string split_line(const std::string& name, const std::string& arguments, const std::string& words) {
  NamedScript script{.name = name, .arguments = arguments};
  NameList line;
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

TEST(LiveWords, WithoutAMarkOnlyRequiredArgumentsAreTheScripts) {
  EXPECT_EQ(split_line("syscall-counts", "[comm|pid]", "df"), "| df");
  EXPECT_EQ(split_line("syscall-counts", "[comm|pid]", "-a sleep 1"), "| -a sleep 1");
  EXPECT_EQ(split_line("rw-by-file", "<comm>", "cat sleep 1"), "cat | sleep 1");
  EXPECT_EQ(split_line("flamegraph", "[-o FILE]", "-F 99 ls"), "| -F 99 ls");
  EXPECT_EQ(split_line("rwtop", "[interval]", "5"), "5 |");
  EXPECT_EQ(split_line("netdev-times", "", ""), "|");
}

TEST(LiveWords, AMarkEndsTheArgumentsOfTheScript) {
  EXPECT_EQ(split_line("netdev-times", "[dev=NAME] [rx] [tx]", "tx -- sleep 0.2"), "tx | -- sleep 0.2");
  EXPECT_EQ(split_line("syscall-counts", "[comm]", "-a -- sleep 1"), "| -a -- sleep 1");
  EXPECT_EQ(split_line("syscall-counts", "[comm]", "df -a -- sleep 1"), "df | -a -- sleep 1");
  EXPECT_EQ(split_line("flamegraph", "[-o FILE]", "-o x.html -- ls -l"), "-o x.html | -- ls -l");
  EXPECT_EQ(split_line("rwtop", "[interval]", "5 -- ls"), "5 | -- ls");
}

TEST(LiveWords, TooFewAndTooManyArgumentsAreRefused) {
  EXPECT_EQ(split_line("rw-by-file", "<comm>", ""), "rw-by-file needs <comm>");
  EXPECT_EQ(split_line("rw-by-file", "<comm>", "-a"), "rw-by-file needs <comm>");
  EXPECT_EQ(split_line("syscall-counts", "[comm]", "a b -- ls"), "syscall-counts takes [comm]: unexpected 'b'");
  EXPECT_EQ(split_line("rwtop", "[interval]", "1 2"), "rwtop takes [interval]: unexpected '2'");
  EXPECT_EQ(split_line("check", "", "a -- ls"), "check takes no arguments: unexpected 'a'");
}

TEST(NamedScript, IsFoundByItsShellFilesWithWhatTheReportSaysOfIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("scripts/python/bin"));
  folder.write("scripts/python/bin/counts-record", "exit\n");
  folder.write("scripts/python/bin/counts-report", "#!/bin/sh\n# description: how many\n# args: [comm]\n");
  folder.write("scripts/python/bin/orphan-record", "exit\n");
  folder.write("scripts/python/bin/notes", "");
  const auto all = named_scripts(folder.path());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "counts");
  EXPECT_EQ(all[0].description, "how many");
  EXPECT_EQ(all[0].arguments, "[comm]");
  EXPECT_EQ(all[0].record, folder.path("scripts/python/bin/counts-record"));
  const auto orphan = find_named_script(folder.path(), "orphan");
  ASSERT_TRUE(orphan);
  EXPECT_EQ(orphan->report, "");
  EXPECT_FALSE(find_named_script(folder.path(), "notes"));
}

}  // namespace
}  // namespace peregrine
