#include "cmd/stat/stat_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

// The options set by this command line.
StatOptions parsed(const std::vector<std::string>& arguments) {
  StatOptions options;
  auto words = parse_options(kStat.options, kStat.words_at, arguments, &options, kOwner<StatOptions>);
  EXPECT_TRUE(words) << words.error().message;
  options.request.runs.command = words->words;
  return options;
}

std::string error_of(const Result<>& checked) { return checked ? "" : checked.error().message; }

TEST(StatCheck, PortsAreCountedOnTheWholeMachineOnly) {
  const auto check = [](const std::vector<std::string>& arguments) { return error_of(check_ports(parsed(arguments))); };
  EXPECT_EQ(check({"--iostat", "-p", "1"}), "--iostat cannot be combined with -p or -t");
  EXPECT_EQ(check({"--iostat", "-a", "--for-each-cgroup", "/"}),
            "--iostat cannot be combined with -G or --for-each-cgroup");
  EXPECT_EQ(check({"--iostat", "-n", "true"}), "--iostat cannot be combined with -n");
  EXPECT_EQ(check({"--iostat", "-e", "cycles", "-d", "--per-core", "-C", "1", "true"}), "");
}

TEST(StatCheck, ComparisonHasNoControlChannel) {
  const auto check = [](const std::vector<std::string>& arguments) {
    return error_of(check_versus(parsed(arguments), {"false"}));
  };
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(check({"--vs", "false", "--control", fmt::format("fd:{}", ends[0]), "true"}),
            "--vs cannot be used with --control");
  EXPECT_EQ(check({"--vs", "false", "true"}), "");
  EXPECT_EQ(check({"--vs", "false", "-r", "1", "true"}), "--vs requires at least two runs of each command (-r)");
  ::close(ends[1]);
}

TEST(StatCheck, PassesNeedACommand) {
  EXPECT_EQ(error_of(check_multipass(parsed({"--multipass"}))), "--multipass requires a command");
  EXPECT_EQ(error_of(check_multipass(parsed({"--multipass", "true"}))), "");
}

struct Refused {
  std::vector<std::string> arguments;
  const char* message;  // empty: accepted
};

TEST(StatCheck, RejectsOptionsThatExcludeEachOther) {
  constexpr const char* kThreads =
      "The --per-thread option is only available when monitoring via -p -t -a options or only --per-thread.";
  constexpr const char* kSystemWide = "both cgroup and no-aggregation modes only available in system-wide mode";
  constexpr const char* kPrograms =
      "--bpf-prog cannot be combined with -p, -t or --per-thread: it counts BPF programs in all threads";
  for (const Refused& test : {
           Refused{{"--timeout", "5", "true"}, "timeout must be >= 10ms."},
           Refused{{"--timeout", "10", "true"}, ""},
           Refused{{"--timeout", "50", "-I", "10", "true"}, "timeout option is not supported with interval-print."},
           Refused{{"--interval-count", "2", "true"},
                   "interval-count option should be used together with interval-print."},
           Refused{{"--interval-count", "2", "-I", "10", "true"}, ""},
           Refused{{"-x,", "-B", "true"}, "-B option not supported with -x"},
           Refused{{"-x,", "--no-big-num", "true"}, ""},
           Refused{{"-o", "f", "--log-fd", "2", "true"}, "cannot use both --output and --log-fd"},
           Refused{{"--table", "true"}, "--table is only supported with -r"},
           Refused{{"-r", "3", "--table", "true"}, ""},
           Refused{{"--per-thread", "true"}, kThreads},
           Refused{{"--per-thread"}, ""},
           Refused{{"--per-thread", "-a", "true"}, ""},
           Refused{{"--per-thread", "-p", "1"}, ""},
           Refused{{"-A", "true"}, kSystemWide},
           Refused{{"-A", "-p", "1"}, kSystemWide},
           Refused{{"-A", "-a", "true"}, ""},
           Refused{{"--per-core", "-C", "0", "true"}, ""},
           Refused{{"--for-each-cgroup", "/", "true"}, kSystemWide},
           Refused{{"--for-each-cgroup", "/", "-a"}, ""},
           Refused{{"-b", "7", "-p", "1"}, kPrograms},
           Refused{{"-b", "7", "--per-thread"}, kPrograms},
           Refused{{"-b", "7"}, ""},
       })
    EXPECT_EQ(error_of(check_options(parsed(test.arguments), "perf")), test.message) << test.arguments[0];
}

TEST(StatCheck, RecordingsAreOfOneRun) {
  StatOptions options = parsed({"-r", "2", "true"});
  options.request.recording.wanted = true;
  EXPECT_EQ(error_of(check_options(options, "falcon")), "Cannot use -r option with falcon stat record.");
  options = parsed({"-b", "7"});
  options.request.recording.wanted = true;
  EXPECT_EQ(error_of(check_options(options, "falcon")),
            "--bpf-counters and --bpf-prog cannot be used with stat record or --control");
}

TEST(StatCheck, PassesEndWhenEachEventWasCounted) {
  for (const Refused& test :
       {Refused{{"--multipass", "-I", "10", "true"}, "--multipass cannot be used with -I or stat record"},
        Refused{{"--multipass", "-r0", "true"}, "--multipass cannot be used with -r 0"},
        Refused{{"--multipass", "-r2", "true"}, ""}})
    EXPECT_EQ(error_of(check_multipass(parsed(test.arguments))), test.message);
}

TEST(StatCheck, ComparisonIsOfSumsOfTwoCommands) {
  for (const Refused& test : {
           Refused{{"--vs", "false"}, "--vs requires a second command: stat --vs 'OTHER COMMAND' COMMAND"},
           Refused{{"--vs", "false", "-I", "10", "true"}, "--vs cannot be used with -I or stat record"},
           Refused{{"--vs", "false", "--multipass", "true"}, "--vs cannot be used with --multipass"},
           Refused{{"--vs", "false", "--per-core", "true"},
                   "--vs cannot be used with -A or --per-*: it compares totals"},
           Refused{{"--vs", "false", "--metric-only", "true"}, "--vs cannot be used with --metric-only"},
           Refused{{"--vs", "false", "-r2", "true"}, ""},
       })
    EXPECT_EQ(error_of(check_versus(parsed(test.arguments), {"false"})), test.message);
  EXPECT_EQ(error_of(check_versus(parsed({"--vs", "''", "true"}), {})), "--vs requires another command");
}

}  // namespace
}  // namespace peregrine::cmd
