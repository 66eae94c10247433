#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/help/command_list.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"

namespace peregrine {
namespace {

constexpr Option kOptions[] = {
    {.name = "verbose", .letter = 'v', .help = "be more verbose"},
    {.name = "call-graph",
     .letter = 'g',
     .value = Value::NextWord,
     .metavar = "mode",
     .help = "record stacks",
     .implied = "fp"},
    {.name = "compression-level",
     .letter = 'z',
     .value = Value::Sticky,
     .metavar = "n",
     .help = "compress",
     .implied = "1"},
    {.name = "all-cpus", .letter = 'a', .help = "system-wide"},
    {.name = "flamegraph",
     .value = Value::Required,
     .metavar = "file",
     .help = "draw stacks",
     .group = "Output",
     .since = Since::Ours},
    {.name = "old", .help = "nobody sees this", .shown = Shown::Hidden},
    {.letter = 'D', .help = "only a letter"},
};
constexpr std::string_view kUsage[] = {"[<options>] [<command>]", "[<options>] -- <command>"};
constexpr std::string_view kExamples[] = {"perf probe-like -g ./a.out|stacks of a.out", "perf check || exit|two bars"};
constexpr Command kCommand{.name = "demo",
                           .summary = "shows things",
                           .usage = kUsage,
                           .options = kOptions,
                           .description = "First.\n\nSecond: perf is named, `perf report` too.",
                           .examples = kExamples};

TEST(ShortHelp, HasLinuxPerfsLayoutAndOurOptionsApart) {
  EXPECT_EQ(short_help("perf", kCommand),
            "\n Usage: perf demo [<options>] [<command>]\n"
            "    or: perf demo [<options>] -- <command>\n\n"
            "    -a, --all-cpus        system-wide\n"
            "    -D                    only a letter\n"
            "    -g, --call-graph <mode>\n"
            "                          record stacks\n"
            "    -v, --verbose         be more verbose\n"
            "    -z, --compression-level[=<n>]\n"
            "                          compress\n"
            "\n Only in peregrine:\n\n"
            "        --flamegraph <file>\n"
            "                          draw stacks\n\n");
}

TEST(ShortHelp, SubcommandThatPassesOptionsOnHasTheUsageOfTheOther) {
  static constexpr Command kPart{.name = "demo record", .summary = "records", .passes_to = &kCommand};
  EXPECT_EQ(usage_lines("perf", kPart),
            "\n Usage: perf demo record [<options>] [<command>]\n"
            "    or: perf demo record [<options>] -- <command>\n");
}

TEST(ShortHelp, FiltersByLetterNameAndText) {
  const std::vector<std::string> words{"-v", "STACK"};
  const std::string text = short_help("perf", kCommand, words);
  EXPECT_NE(text.find("--verbose"), std::string::npos);
  EXPECT_NE(text.find("--call-graph"), std::string::npos);
  EXPECT_NE(text.find("--flamegraph"), std::string::npos);
  EXPECT_EQ(text.find("--all-cpus"), std::string::npos);
}

TEST(ShortHelp, WrapsHelpAtTheWidthOfATerminal) {
  constexpr Option kLong{.name = "all-cpus", .letter = 'a', .help = "one two three four five six seven"};
  EXPECT_EQ(option_row(kLong), "    -a, --all-cpus        one two three four five six seven\n");
  EXPECT_EQ(option_row(kLong, 50),
            "    -a, --all-cpus        one two three four five\n"
            "                          six seven\n");
}

TEST(Manual, SaysOnceWhatAnOptionMeansWithoutAValue) {
  static constexpr Option kTwice[] = {
      {.name = "junit", .value = Value::Sticky, .help = "write XML (default: junit.xml)", .implied = "junit.xml"}};
  constexpr Command kJunit{.name = "test", .summary = "tests", .options = kTwice};
  EXPECT_EQ(manual_text(make_manual("perf", kJunit), 80).find("Without"), std::string::npos);
}

TEST(Manual, IsOnePageInThreeForms) {
  const Manual manual = make_manual("peregrine", kCommand);
  const std::string text = manual_text(manual, 80);
  EXPECT_NE(text.find("SYNOPSIS\n       peregrine demo [<options>] [<command>]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       Second: peregrine is named, `peregrine report` too.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       -g, --call-graph [<mode>]\n           record stacks. Without a value: fp."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("OUTPUT, ONLY IN PEREGRINE\n       --flamegraph <file>\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       peregrine probe-like -g ./a.out\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       peregrine check || exit\n           two bars\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("nobody"), std::string::npos);
  const std::string troff = manual_troff(manual, "1");
  EXPECT_TRUE(troff.starts_with(".TH \"PEREGRINE-DEMO\" \"1\"")) << troff;
  EXPECT_NE(troff.find(".TP\n\\fB\\-g, \\-\\-call\\-graph [<mode>]\\fR\n"), std::string::npos) << troff;
  const std::string markdown = manual_markdown(manual);
  EXPECT_NE(markdown.find("## Synopsis\n\n```\nperegrine demo [<options>] [<command>]\n"), std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("- `--flamegraph <file>`: draw stacks"), std::string::npos) << markdown;
}

TEST(Manual, WrapsLongText) {
  Manual manual{
      "t", "t", "s", {{"DESCRIPTION", {{ManualBlock::Kind::Paragraph, "", "aaaaaaaaaaaa bbbbbbbbbbbb cccccccccccc"}}}}};
  EXPECT_EQ(manual_text(manual, 34), "DESCRIPTION\n       aaaaaaaaaaaa bbbbbbbbbbbb\n       cccccccccccc\n");
}

TEST(CommandList, LeavesOutHiddenCommands) {
  static constexpr Command kShown{.name = "demo", .summary = "shows things"};
  static constexpr Command kHiddenOne{.name = "debug", .summary = "for us", .shown = Shown::Hidden};
  static constexpr const Command* kAll[] = {&kShown, &kHiddenOne};
  const std::string text = command_list("falcon", kAll);
  EXPECT_NE(text.find("\n   demo            shows things\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" usage: falcon "), std::string::npos) << text;
  EXPECT_EQ(text.find("debug"), std::string::npos) << text;
}

TEST(CommandList, SuggestsTheNearestCommandThatIsShown) {
  static constexpr Command kShown{.name = "report", .summary = "reports"};
  static constexpr Command kHiddenOne{.name = "repott", .summary = "for us", .shown = Shown::Hidden};
  static constexpr const Command* kAll[] = {&kHiddenOne, &kShown};
  const Error error = unknown_command("falcon", "repot", kAll);
  EXPECT_EQ(error.message, "'repot' is not a falcon-command. See 'falcon --help'.");
  EXPECT_EQ(error.hint, "did you mean 'report'?");
  EXPECT_EQ(unknown_command("falcon", "zzzzzzzz", kAll).hint, "");
}

}  // namespace
}  // namespace peregrine
