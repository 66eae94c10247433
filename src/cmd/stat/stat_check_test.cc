#include "cmd/stat/stat_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

// The options of this command line.
StatOptions parsed(const std::vector<std::string>& arguments) {
  StatOptions options;
  auto words = parse_options(kStat.options, kStat.words_at, arguments, &options, kOwner<StatOptions>);
  EXPECT_TRUE(words) << words.error().message;
  options.request.command = words->words;
  return options;
}

std::string error_of(const Result<>& checked) { return checked ? "" : checked.error().message; }

TEST(StatCheck, PortsAreCountedOnTheWholeMachineOnly) {
  const auto check = [](const std::vector<std::string>& arguments) { return error_of(check_ports(parsed(arguments))); };
  EXPECT_EQ(check({"--iostat", "-p", "1"}), "--iostat does not go together with -p and -t");
  EXPECT_EQ(check({"--iostat", "-a", "--for-each-cgroup", "/"}),
            "--iostat does not go together with -G and --for-each-cgroup");
  EXPECT_EQ(check({"--iostat", "-n", "true"}), "--iostat does not go together with -n");
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
  EXPECT_EQ(check({"--vs", "false", "-r", "1", "true"}), "--vs needs two runs of each command or more (-r)");
  ::close(ends[1]);
}

TEST(StatCheck, PassesNeedACommand) {
  EXPECT_EQ(error_of(check_multipass(parsed({"--multipass"}))), "--multipass repeats a command, and none was given");
  EXPECT_EQ(error_of(check_multipass(parsed({"--multipass", "true"}))), "");
}

TEST(StatCheck, RejectsOptionsThatExcludeEachOther) {
  const auto check = [](const std::vector<std::string>& arguments) {
    return error_of(check_options(parsed(arguments), "perf"));
  };
  EXPECT_EQ(check({"--timeout", "5", "true"}), "timeout must be >= 10ms.");
  EXPECT_EQ(check({"-x,", "-B", "true"}), "-B option not supported with -x");
  EXPECT_EQ(check({"--table", "true"}), "--table is only supported with -r");
  EXPECT_EQ(check({"-r", "3", "--table", "true"}), "");
}

}  // namespace
}  // namespace peregrine::cmd
