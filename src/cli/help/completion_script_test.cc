// Completion for a program with these commands: `report` with lists and choices of values, `sched` with a subcommand,
// and `help`, which takes the name of a command.
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
     .help = "sort  by\t'keys': {words}\nmore",
     .words = key_words},
    {.name = "group", .help = "show [groups]"},
    {.name = "call-graph", .letter = 'g', .value = Value::NextWord, .metavar = "mode", .help = "stacks"},
    {.letter = 'q', .help = "say `nothing`"},
    {.name = "format", .value = Value::Required, .metavar = "folded|csv", .help = "print this format"},
    {.name = "exec", .value = Value::Sticky, .metavar = "executable|path", .help = "file"},
    {.name = "addr", .letter = 'A', .value = Value::Sticky, .metavar = "abs|rel", .help = "addresses"},
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
constexpr Option kInputRow[] = {
    {.name = "input", .letter = 'i', .value = Value::Required, .metavar = "file", .help = "file"}};
constexpr Command kSchedCommand{.name = "sched", .summary = "tasks", .options = kInputRow, .parts = kSchedParts};
constexpr Command kHiddenCommand{.name = "debug", .summary = "for us", .shown = Shown::Hidden};
constexpr Command kPassing{.name = "mem", .summary = "accesses", .passes_to = &kSchedLatency};
constexpr Command kHelpCommand{
    .name = "help", .summary = "pages", .first_words = [] { return std::vector<std::string_view>{"report", "help"}; }};
constexpr const Command* kAllCommands[] = {&kReportCommand, &kSchedCommand, &kHiddenCommand, &kPassing, &kHelpCommand};

std::string script_for(std::string_view shell) {
  return completion_script(shell, "falcon", kAllCommands).value_or("none");
}

bool has_line(const std::string& script, std::string_view line) {
  return ("\n" + script).contains("\n" + std::string(line) + "\n");
}

TEST(CompletionScript, BashKnowsOptionsByCommand) {
  const std::string script = script_for("bash");
  EXPECT_TRUE(has_line(script, "    report) options='--sort --group --call-graph --format --exec --addr ' ;;"))
      << script;
  EXPECT_TRUE(has_line(script, "    'sched latency') options='--pid --group ' subcommands= ;;"));
  EXPECT_TRUE(has_line(script, "    mem) options='--pid --group ' ;;")) << "those that it passes on";
  EXPECT_FALSE(script.contains("debug"));
  EXPECT_TRUE(has_line(script, "complete -o default -F _falcon falcon"));
}

TEST(CompletionScript, BashCompletesSubcommands) {
  const std::string script = script_for("bash");
  EXPECT_TRUE(has_line(script, "    sched) options='--input ' subcommands='latency' valued='-i --input ' ;;"))
      << script;
  EXPECT_TRUE(has_line(script, "    help) options='' subcommands='report help' valued='' ;;"));
}

TEST(CompletionScript, BashCompletesValues) {
  const std::string script = script_for("bash");
  EXPECT_TRUE(has_line(script,
                       "    'report -s'|'report --sort'|'report --sort=') _falcon_list 'comm dso' \"$current\"; "
                       "return ;;"))
      << "the last word of a list";
  EXPECT_TRUE(has_line(script,
                       "    'report --format'|'report --format=') COMPREPLY=($(compgen -W 'folded csv' -- "
                       "\"$current\")); return ;;"));
  EXPECT_TRUE(has_line(script, "    'report --addr=') COMPREPLY=($(compgen -W 'abs rel' -- \"$current\")); return ;;"))
      << "the next word is not its value";
  EXPECT_FALSE(script.contains("executable"));
}

TEST(CompletionScript, ZshDescribesCommandsAndValues) {
  const std::string script = script_for("zsh");
  EXPECT_TRUE(script.starts_with("#compdef falcon\n"));
  EXPECT_TRUE(has_line(script, R"(    'report:shows "samples"\: all')")) << "a colon separates";
  EXPECT_FALSE(script.contains("debug"));
  EXPECT_TRUE(has_line(
      script, R"(          '-s[sort by '\''keys'\''\: comm dso]:key(,key2...):_sequence compadd - comm dso' \)"));
  EXPECT_TRUE(has_line(
      script, R"(          '--sort=[sort by '\''keys'\''\: comm dso]:key(,key2...):_sequence compadd - comm dso' \)"));
  EXPECT_TRUE(has_line(script, R"(          '--group[show (groups)]' \)"));
  EXPECT_TRUE(has_line(script, R"(          '-g[stacks]::mode:_files' \)"));
  EXPECT_TRUE(has_line(script, R"(          '-q[say `nothing`]' \)"));
  EXPECT_TRUE(has_line(script, R"(          '--format=[print this format]:folded|csv:(folded csv)' \)"));
}

TEST(CompletionScript, ZshCompletesSubcommandsAndTheirOptions) {
  const std::string script = script_for("zsh");
  EXPECT_TRUE(has_line(script, R"(          '1:subcommand:(report help)' \)"));
  EXPECT_TRUE(has_line(script, R"(        _arguments -s -C \
          '-i[file]:file:_files' \
          '--input=[file]:file:_files' \
          '1:subcommand:(latency)' \
          '*::argument:->argument'
        if [[ $state == argument ]]; then
          state=
          case $line[1] in
          latency)
            _arguments -s -C \
              '-p[one]:pid:_files' \
              '--pid=[one]:pid:_files' \
              '--group[the same name as that of report]' \
              '*::word:_files'
            ;;
          esac
        fi)"))
      << script;
}

TEST(CompletionScript, FishHasALineForEachOption) {
  const std::string script = script_for("fish");
  const std::string line = "complete -c falcon -n '__fish_seen_subcommand_from ";
  const std::string report = line + "report; and not __fish_seen_subcommand_from help' ";
  EXPECT_TRUE(
      has_line(script, R"(complete -c falcon -n __fish_use_subcommand -f -a report -d 'shows "samples": all')"));
  EXPECT_TRUE(has_line(script, report + R"(-s s -l sort -a 'comm dso' -r -d 'sort by \'keys\': comm dso')")) << script;
  EXPECT_TRUE(has_line(script, report + "-s q -d 'say `nothing`'"));
  EXPECT_TRUE(has_line(script, report + "-s g -l call-graph -d 'stacks'")) << "a value that may be missing";
  EXPECT_TRUE(has_line(script, report + "-l format -f -a 'folded csv' -r -d 'print this format'"));
  EXPECT_TRUE(has_line(script, line + "sched; and __fish_seen_subcommand_from latency' -s p -l pid -r -d 'one'"));
}

TEST(CompletionScript, FishCompletesSubcommands) {
  const std::string script = script_for("fish");
  EXPECT_TRUE(has_line(script,
                       "complete -c falcon -n '__fish_seen_subcommand_from sched; and not __fish_seen_subcommand_from "
                       "latency' -f -a 'latency' -d 'times'"))
      << script;
  EXPECT_TRUE(has_line(script,
                       "complete -c falcon -n '__fish_seen_subcommand_from help; and not __fish_seen_subcommand_from "
                       "report' -f -a 'report help'"));
}

TEST(CompletionScript, EventsAreThoseOfThisMachine) {
  static constexpr Option kRows[] = {
      {.name = "event", .letter = 'e', .value = Value::Required, .metavar = "event", .help = "these"}};
  const Command trace{.name = "trace", .summary = "calls", .options = kRows};
  const Command* const commands[] = {&trace};
  EXPECT_TRUE(completion_script("bash", "falcon", commands)->contains("syscalls:sys_enter_")) << "names of calls";
  EXPECT_TRUE(
      has_line(*completion_script("zsh", "falcon", commands),
               R"(          '--event=[these]:event:_sequence compadd - $(falcon list --raw-dump 2>/dev/null)' \)"));
  EXPECT_TRUE(has_line(*completion_script("fish", "falcon", commands),
                       "complete -c falcon -n '__fish_seen_subcommand_from trace' -s e -l event -a "
                       "'(falcon list --raw-dump 2>/dev/null | string split \" \")' -r -d 'these'"));
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
  EXPECT_EQ(script.error().message, "unknown shell 'tcsh': must be one of bash, zsh, fish");
}

// --list-cmds and --list-opts, which completions of linux-perf call.
TEST(CompletionWords, NameCommandsAndOptions) {
  EXPECT_EQ(command_words(kAllCommands), "report sched mem help");
  EXPECT_EQ(command_words({}), "");
  EXPECT_EQ(option_words(kReportCommand), "--sort --group --call-graph --format --exec --addr --old ")
      << "linux-perf's hidden ones too, but not ours";
  EXPECT_EQ(option_words(kHiddenCommand), "");
  EXPECT_EQ(subcommand_list(kSchedCommand), "latency ");
  EXPECT_EQ(subcommand_list(kHelpCommand), "report help ");
  EXPECT_EQ(subcommand_list(kReportCommand), "");
}

}  // namespace
}  // namespace peregrine
