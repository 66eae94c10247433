// Completion for a program with two commands: `report` with lists of words, `sched` with a part.
#include "cli/help/completion_script.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/option/option.h"

namespace peregrine {
namespace {

std::vector<std::string_view> key_words() { return {"comm", "dso"}; }

constexpr Option kReportRows[] = {
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help = "sort by 'keys': {words}\nmore",
     .words = key_words},
    {.name = "group", .help = "show [groups]"},
    {.name = "call-graph", .letter = 'g', .value = Value::NextWord, .metavar = "mode", .help = "stacks"},
    {.letter = 'q', .help = "say `nothing`"},
    {.name = "old", .help = "a former name", .shown = Shown::Hidden},
    {.name = "ours", .help = "for us", .shown = Shown::Hidden, .since = Since::Ours},
};
constexpr Option kPartRows[] = {
    {.name = "pid", .letter = 'p', .value = Value::Required, .metavar = "pid", .help = "one"},
    {.name = "group", .help = "the same name as that of report"},
};
constexpr Command kReportCommand{.name = "report", .summary = "shows \"samples\": all", .options = kReportRows};
constexpr Command kSchedLatency{.name = "sched latency", .summary = "times", .options = kPartRows};
constexpr const Command* kSchedParts[] = {&kSchedLatency};
constexpr Command kSchedCommand{.name = "sched", .summary = "tasks", .parts = kSchedParts};
constexpr Command kHiddenCommand{.name = "debug", .summary = "for us", .shown = Shown::Hidden};
constexpr Command kPassing{.name = "mem", .summary = "accesses", .passes_to = &kSchedLatency};
constexpr const Command* kAllCommands[] = {&kReportCommand, &kSchedCommand, &kHiddenCommand, &kPassing};

std::string script_for(std::string_view shell) {
  return completion_script(shell, "falcon", kAllCommands).value_or("none");
}

bool has_line(const std::string& script, std::string_view line) {
  return ("\n" + script).contains("\n" + std::string(line) + "\n");
}

TEST(CompletionScript, BashKnowsOptionsByCommand) {
  const std::string script = script_for("bash");
  EXPECT_TRUE(has_line(script, "    report) options='--sort --group --call-graph ' ;;")) << script;
  EXPECT_TRUE(has_line(script, "    sched) options='--pid --group ' ;;")) << "those of its parts";
  EXPECT_TRUE(has_line(script, "    mem) options='--pid --group ' ;;")) << "those that it passes on";
  EXPECT_TRUE(has_line(script, "    help) options='report sched mem' ;;"));
  EXPECT_TRUE(has_line(script, "complete -o default -F _falcon falcon"));
}

TEST(CompletionScript, BashCompletesTheLastWordOfAList) {
  EXPECT_TRUE(
      has_line(script_for("bash"), "    'report -s'|'report --sort') _falcon_list 'comm dso' \"$current\"; return ;;"));
}

TEST(CompletionScript, ZshDescribesCommandsAndValues) {
  const std::string script = script_for("zsh");
  EXPECT_TRUE(script.starts_with("#compdef falcon\n"));
  EXPECT_TRUE(has_line(script, "    'report:shows samples  all'")) << "without quotes, and colons separate";
  EXPECT_FALSE(script.contains("debug"));
  EXPECT_TRUE(has_line(script, "        '-s[sort by keys  comm dso]:key(,key2...):_sequence compadd - comm dso' \\"));
  EXPECT_TRUE(
      has_line(script, "        '--sort=[sort by keys  comm dso]:key(,key2...):_sequence compadd - comm dso' \\"));
  EXPECT_TRUE(has_line(script, "        '--group[show (groups)]' \\"));
  EXPECT_TRUE(has_line(script, "        '-g[stacks]::mode:_files' \\"));
  EXPECT_TRUE(has_line(script, "        '-q[say nothing]' \\"));
}

TEST(CompletionScript, FishHasALineForEachOption) {
  const std::string script = script_for("fish");
  EXPECT_TRUE(has_line(script, "complete -c falcon -n __fish_use_subcommand -f -a report -d 'shows samples  all'"));
  EXPECT_TRUE(has_line(script,
                       "complete -c falcon -n '__fish_seen_subcommand_from report' -s s -l sort -a 'comm dso' -r -d "
                       "'sort by keys  comm dso'"));
  EXPECT_TRUE(has_line(script, "complete -c falcon -n '__fish_seen_subcommand_from report' -s q -d 'say nothing'"));
  EXPECT_TRUE(
      has_line(script, "complete -c falcon -n '__fish_seen_subcommand_from report' -s g -l call-graph -d 'stacks'"))
      << "a value that may be missing is not required";
  EXPECT_TRUE(has_line(script, "complete -c falcon -n '__fish_seen_subcommand_from sched' -s p -l pid -r -d 'one'"));
}

TEST(CompletionScript, HiddenOptionsAreNotOffered) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_FALSE(script_for(shell).contains("former name")) << shell;
    EXPECT_FALSE(script_for(shell).contains("--old")) << shell;
  }
}

TEST(CompletionScript, OtherShellsAreUnknown) {
  const auto script = completion_script("tcsh", "falcon", kAllCommands);
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().kind, ErrorKind::Usage);
  EXPECT_EQ(script.error().message, "no completion for the shell `tcsh': bash, zsh and fish are known");
}

// --list-cmds and --list-opts, which completions of linux-perf call.
TEST(CompletionWords, NameCommandsAndOptions) {
  EXPECT_EQ(command_words(kAllCommands), "report sched mem");
  EXPECT_EQ(command_words({}), "");
  EXPECT_EQ(option_words(kReportCommand), "--sort --group --call-graph --old ")
      << "linux-perf's hidden ones too, but not ours";
  EXPECT_EQ(option_words(kHiddenCommand), "");
}

}  // namespace
}  // namespace peregrine
