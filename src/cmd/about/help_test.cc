#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "cli/help/completion_script.h"
#include "cli/option/option.h"
#include "cmd/command_table.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

// The last word of a subcommand's name.
std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }

TEST(ShortHelp, NamesEachSubcommand) {
  for (const Command* command : commands()) {
    std::string usage;
    for (const std::string_view line : command->usage) usage += fmt::format("{}\n", line);
    for (const Command* part : command->parts) {
      EXPECT_NE(usage.find(last_word(part->name)), std::string::npos) << part->name;
      EXPECT_NE(command->description.find(last_word(part->name)), std::string::npos) << part->name;
    }
  }
}

TEST(Completion, KnowsEveryCommandOfTheTable) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell, "peregrine", commands());
    ASSERT_TRUE(script);
    for (const Command* command : commands()) EXPECT_NE(script->find(command->name), std::string::npos) << shell;
    EXPECT_NE(script->find("build-options"), std::string::npos) << shell;
  }
  EXPECT_FALSE(completion_script("tcsh", "peregrine", commands()));
}

// Debian's completion for perf calls `perf COMMAND --list-cmds` and `perf COMMAND SUBCOMMAND --list-opts`.
TEST(Completion, CommandsListTheirSubcommands) {
  EXPECT_EQ(called(kKmem, {"--list-cmds"}).printed, "record stat \n");
  EXPECT_EQ(called(kMem, {"--list-cmds"}).printed, "record report \n");
  EXPECT_EQ(called(kData, {"--list-cmds"}).printed, "convert \n");
  EXPECT_EQ(called(kScript, {"--list-cmds"}).printed, "record report \n");
  EXPECT_EQ(called(kTest, {"--list-cmds"}).printed, "list \n");
  EXPECT_EQ(called(kTimechart, {"--list-cmds"}).printed, "record \n");
  EXPECT_EQ(called(kTrace, {"--list-cmds"}).printed, "record \n");
  EXPECT_EQ(called(kKvm, {"stat", "--list-cmds"}).printed, "record report live \n");
  EXPECT_TRUE(called(kHelp, {"--list-cmds"}).printed.contains("record report"));
  EXPECT_TRUE(called(kBench, {"sched", "--list-cmds"}).printed.contains("pipe "));
  EXPECT_EQ(called(kEvlist, {"--list-cmds"}).printed, "\n");
  EXPECT_TRUE(called(kScript, {"report", "--list-opts"}).printed.contains("--fields "));
}

// If a table had a letter or name twice, only the first row would be used.
TEST(CommandTable, NoLetterOrNameTwice) {
  for (const Command* command : commands()) {
    std::string letters;
    std::vector<std::string_view> names;
    for (const Option& option : command->options) {
      if (option.letter != 0) {
        EXPECT_EQ(letters.find(option.letter), std::string::npos) << command->name << " -" << option.letter;
        letters += option.letter;
      }
      if (option.name.empty()) continue;
      EXPECT_EQ(std::ranges::count(names, option.name), 0) << command->name << " --" << option.name;
      names.push_back(option.name);
      EXPECT_FALSE(option.help.empty() && option.shown == Shown::Everywhere) << command->name << " --" << option.name;
    }
  }
}

}  // namespace
}  // namespace peregrine::cmd
