// Tests what the options of `ftrace` request from the kernel's tracers.
#include "cmd/ftrace/ftrace_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "capture/target/target.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/test_options.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<FtraceOptions> functions_traced(const std::vector<std::string>& arguments) {
  return options_of<FtraceOptions>(kFtrace, arguments);
}

TEST(FtraceChoice, ByDefaultTheKernelsOwnValuesAreKept) {
  const FtraceRequest request = functions_traced({})->request;
  EXPECT_EQ(request.mode, FtraceMode::Trace);
  EXPECT_EQ(request.tracer, "");
  EXPECT_THAT(request.functions, IsEmpty());
  EXPECT_EQ(request.buffer_size, "");
  EXPECT_EQ(request.delay_ms, 0u);
  EXPECT_EQ(request.order, FunctionOrder::Total);
  EXPECT_FALSE(request.inherit);
  EXPECT_EQ(functions_traced({})->list, std::nullopt);
}

TEST(FtraceChoice, EachListOfFunctionsHasItsOption) {
  const auto options = functions_traced({"-T", "vfs_read", "-T", "vfs_*", "-N", "schedule", "-G", "do_sys_open", "-g",
                                         "kfree", "--func-opts", "call-graph,irq-info", "--graph-opts", "depth=3"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_THAT(options->request.functions, ElementsAre("vfs_read", "vfs_*"));
  EXPECT_THAT(options->request.no_functions, ElementsAre("schedule"));
  EXPECT_THAT(options->request.graph_functions, ElementsAre("do_sys_open"));
  EXPECT_THAT(options->request.no_graph_functions, ElementsAre("kfree"));
  EXPECT_THAT(options->request.function_options, ElementsAre("call-graph,irq-info"));
  EXPECT_THAT(options->request.graph_options, ElementsAre("depth=3"));
}

TEST(FtraceChoice, NegationEmptiesAList) {
  EXPECT_THAT(functions_traced({"-T", "a", "--no-trace-funcs", "-T", "b"})->request.functions, ElementsAre("b"));
  EXPECT_THAT(functions_traced({"--graph-opts", "tail", "--no-graph-opts"})->request.graph_options, IsEmpty());
}

// -N has a long name that is also the negation of a nonexistent name.
TEST(FtraceChoice, ExclusionsAreNoNegations) {
  EXPECT_THAT(functions_traced({"--notrace-funcs", "a"})->request.no_functions, ElementsAre("a"));
  EXPECT_THAT(functions_traced({"--nograph-funcs=b"})->request.no_graph_functions, ElementsAre("b"));
  EXPECT_THAT(functions_traced({"--notrace-funcs", "a"})->request.functions, IsEmpty());
}

TEST(FtraceChoice, FunctionsAreListedAllOrMatching) {
  EXPECT_EQ(functions_traced({"-F"})->list, "*");
  EXPECT_EQ(functions_traced({"-F", "vfs_*"})->list, "vfs_*");
  EXPECT_EQ(functions_traced({"--funcs=vfs_*"})->list, "vfs_*");
  EXPECT_EQ(functions_traced({"-F", "-v"})->list, "*") << "another option is no pattern";
  EXPECT_EQ(functions_traced({"-F", "-v"})->request.verbose, 1);
  EXPECT_EQ(functions_traced({"-F", "--no-funcs"})->list, std::nullopt);
}

TEST(FtraceChoice, TargetsAreThoseOfRecord) {
  const TargetRequest target =
      functions_traced({"-a", "-C", "0,2-3", "-p", "10,11", "--tid", "12", "--inherit"})->request.target;
  EXPECT_TRUE(target.system_wide);
  EXPECT_EQ(target.cpus, "0,2-3");
  EXPECT_EQ(target.pids, "10,11");
  EXPECT_EQ(target.tids, "12");
}

TEST(FtraceChoice, TheTracerIsNamedAfterTheFact) {
  EXPECT_EQ(functions_traced({"-t", "function"})->request.tracer, "function") << "-t is no thread here";
  EXPECT_EQ(functions_traced({"-t", "function", "--no-tracer"})->request.tracer, "");
}

TEST(FtraceChoice, NumbersAreChecked) {
  EXPECT_EQ(functions_traced({"-D", "250"})->request.delay_ms, 250u);
  EXPECT_EQ(functions_traced({"--bucket-range", "0x10"})->request.bucket_range, 16u);
  EXPECT_EQ(functions_traced({"--max-latency", "18446744073709551615"})->request.most, ~u64{0});
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& test :
       {Case{{"-D", "1s"}, "switch `D' expects a numerical value"},
        Case{{"--delay", "-1"}, "option `delay' expects a numerical value"},
        Case{{"-D", "4294967296"}, "switch `D' expects a numerical value"},
        Case{{"--bucket-range", ""}, "option `bucket-range' expects a numerical value"},
        Case{{"--min-latency", "x"}, "option `min-latency' expects a numerical value"},
        Case{{"--max-latency", "18446744073709551616"}, "option `max-latency' expects a numerical value"}})
    EXPECT_EQ(refusal_of<FtraceOptions>(kFtrace, test.arguments), test.message);
}

TEST(FtraceChoice, SettingsOfAModeAreKeptForIt) {
  const auto options = functions_traced({"-n", "--hide-empty", "-s", "avg", "-b", "-m", "4M", "-vv", "-e", "sched:*"});
  EXPECT_TRUE(options->request.nanoseconds);
  EXPECT_TRUE(options->request.hide_empty);
  EXPECT_EQ(options->request.order, FunctionOrder::Average);
  EXPECT_TRUE(options->request.use_bpf);
  EXPECT_EQ(options->request.buffer_size, "4M") << "the unit is read with the tracer's limits";
  EXPECT_EQ(options->request.verbose, 2);
  EXPECT_THAT(options->request.events, ElementsAre("sched:*"));
  EXPECT_EQ(functions_traced({"-s", "avg", "--no-sort"})->request.order, FunctionOrder::Total);
  EXPECT_EQ(refusal_of<FtraceOptions>(kFtrace, {"--sort", "size"}),
            "--sort: unknown order 'size': must be one of total, avg, max, count, name");
}

TEST(FtraceChoice, FiltersFollowTheirEvent) {
  const auto options = functions_traced({"-e", "sched:*", "--filter", "a == 1", "-e", "irq:*", "--filter", "b == 2"});
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->request.filters.size(), 2u);
  EXPECT_EQ(options->request.filters[0].events, 0u);
  EXPECT_EQ(options->request.filters[1].events, 1u);
  EXPECT_EQ(options->request.filters[1].text, "b == 2");
  EXPECT_EQ(refusal_of<FtraceOptions>(kFtrace, {"--filter", "a == 1"}), "--filter must follow -e EVENT");
}

TEST(FtraceChoice, KeptTracesHaveAName) {
  EXPECT_EQ(functions_traced({})->name, "trace");
  EXPECT_EQ(functions_traced({"--name", "boot"})->name, "boot");
}

// Options after the command belong to the command.
TEST(FtraceChoice, OptionsEndAtTheFirstWord) {
  FtraceOptions options;
  const std::vector<std::string> line{"-T", "vfs_read", "latency", "-n", "ls", "-a"};
  const auto parsed = parse_options(kFtrace.options, kFtrace.words_at, line, &options, kOwner<FtraceOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->words, ElementsAre("latency", "-n", "ls", "-a"));
  EXPECT_FALSE(options.request.nanoseconds);
  EXPECT_FALSE(options.request.target.system_wide);
}

// The same options are parsed after the mode, before the kernel is used.
TEST(FtraceCommand, OptionsMayFollowTheMode) {
  for (const char* mode : {"trace", "latency", "profile"}) {
    EXPECT_EQ(misuse_of(kFtrace, {mode, "-D", "soon"}), "switch `D' expects a numerical value") << mode;
    EXPECT_EQ(misuse_of(kFtrace, {"-a", mode, "--no-such"}).substr(0, 14), "unknown option") << mode;
    const Called help = called(kFtrace, {mode, "-h"});
    EXPECT_EQ(help.error.message, "") << mode;
    EXPECT_THAT(help.printed + help.said, ::testing::HasSubstr("{trace|events|latency|profile}")) << mode;
  }
}

}  // namespace
}  // namespace peregrine::cmd
