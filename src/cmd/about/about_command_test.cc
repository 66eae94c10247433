// Calls version, help, completion and check feature as commands.
#include <gtest/gtest.h>

#include <string>

#include "cli/frame/build_options.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

TEST(VersionCommand, IsOneLineUnlessOptionsAreWanted) {
  const Called plain = called(kVersionCommand, {});
  EXPECT_EQ(plain.code, 0);
  EXPECT_TRUE(plain.printed.starts_with("perf version ")) << plain.printed;
  EXPECT_EQ(plain.printed.find('\n'), plain.printed.size() - 1);

  const std::string all = called(kVersionCommand, {"--build-options"}).printed;
  EXPECT_TRUE(all.starts_with(plain.printed)) << "hotspot reads the first line, too";
  for (const BuildOption& option : build_options()) {
    const bool listed = all.find(std::string(option.name) + ": [") != std::string::npos;
    EXPECT_EQ(listed, option.in_version) << option.name << ": `check feature` knows more names";
  }
}

TEST(HelpCommand, ListsCommandsOrShowsOne) {
  const std::string list = called(kHelp, {}).printed;
  for (const Command* command : commands()) {
    if (command->shown != Shown::Everywhere) continue;
    EXPECT_NE(list.find(command->name), std::string::npos) << command->name;
  }
  const std::string page = called(kHelp, {"stat"}).printed;
  EXPECT_NE(page.find("perf stat"), std::string::npos);
  EXPECT_NE(page.find("--interval-print"), std::string::npos);
  EXPECT_EQ(page.find("\n.TH"), std::string::npos);
}

TEST(HelpCommand, PagesHaveThreeFormats) {
  EXPECT_TRUE(called(kHelp, {"--markdown", "stat"}).printed.starts_with("#"));
  EXPECT_NE(called(kHelp, {"--troff", "stat"}).printed.find(".TH"), std::string::npos);
  EXPECT_EQ(called(kHelp, {"--web", "stat"}).printed, called(kHelp, {"stat"}).printed) << "accepted, and text";
}

TEST(HelpCommand, SuggestsTheNearestCommand) {
  const Called wrong = called(kHelp, {"recrod"});
  EXPECT_NE(wrong.error.message.find("recrod"), std::string::npos) << wrong.error.message;
  EXPECT_NE((wrong.error.message + wrong.error.hint).find("record"), std::string::npos) << wrong.error.hint;
}

TEST(CompletionCommand, WantsOneShell) {
  EXPECT_EQ(misuse_of(kCompletion, {}), "expected one shell: bash, zsh or fish");
  EXPECT_EQ(misuse_of(kCompletion, {"bash", "zsh"}), "expected one shell: bash, zsh or fish");
  EXPECT_NE(called(kCompletion, {"tcsh"}).error.message, "");
  EXPECT_NE(called(kCompletion, {"bash"}).printed.find("complete "), std::string::npos);
}

TEST(CheckCommand, FeaturesAreAskedByName) {
  EXPECT_EQ(misuse_of(kCheck, {"features"}), "unknown argument 'features'");
  EXPECT_EQ(misuse_of(kCheck, {"feature"}), "expected one argument: feature names, separated by commas");
  EXPECT_EQ(misuse_of(kCheck, {"feature", "zstd", "aio"}), "expected one argument: feature names, separated by commas");
}

TEST(CheckCommand, UnknownFeaturesAreErrorsUnlessQuiet) {
  const Called unknown = called(kCheck, {"feature", "no_such_feature"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.printed, "");
  EXPECT_NE(unknown.said.find("no_such_feature"), std::string::npos) << unknown.said;
  const Called quiet = called(kCheck, {"-q", "feature", "no_such_feature"});
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.said + quiet.printed, "");
}

TEST(CheckCommand, EachKnownFeatureHasARow) {
  for (const BuildOption& option : build_options()) {
    const Called one = called(kCheck, {"feature", std::string(option.name)});
    const bool on = one.printed.find("[ on") != std::string::npos;
    EXPECT_EQ(one.code, on ? 0 : 1) << one.printed;
    EXPECT_NE(one.printed.find(option.name), std::string::npos);
  }
}

// Facts come from a copy of another machine's /proc and /sys, where trials are impossible.
TEST(CheckCommand, LooksAtACopyOfAMachine) {
  const TemporaryFolder empty;
  const Called page = called(kCheck, {"--sysroot", empty.path()});
  EXPECT_EQ(page.error.message, "");
  EXPECT_TRUE(page.printed.starts_with("What perf can do on ")) << page.printed;
  const Called quiet = called(kCheck, {"-q", "--sysroot", empty.path()});
  EXPECT_EQ(quiet.printed, "");
  EXPECT_EQ(quiet.code, page.code);
}

}  // namespace
}  // namespace peregrine::cmd
