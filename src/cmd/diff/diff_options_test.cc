// Tests what the options of `diff` and diff.* in perfconfig request.
#include "cmd/diff/diff_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/change.h"
#include "cli/frame/message.h"
#include "cmd/command_table.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/test_options.h"
#include "output/sink.h"
#include "session/sandbox/reader_sandbox.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::Contains;
using ::testing::Not;

Result<DiffOptions> compared(const std::vector<std::string>& arguments, std::vector<Setting> settings = {}) {
  return options_of<DiffOptions>(kDiff, arguments, std::move(settings));
}
std::string not_compared(const std::vector<std::string>& arguments, std::vector<Setting> settings = {}) {
  return refusal_of<DiffOptions>(kDiff, arguments, std::move(settings));
}

TEST(DiffOptionsTest, ByDefaultTheLargestChangeOfSharesIsFirst) {
  const auto options = compared({});
  EXPECT_EQ(options->request.rule.kind, ChangeKind::DeltaAbsolute);
  EXPECT_EQ(options->request.order, 1u);
  EXPECT_EQ(options->request.sort, std::nullopt);
  EXPECT_FALSE(options->request.relative);
  EXPECT_FALSE(options->request.baseline_only);
  EXPECT_FALSE(options->request.cycles);
  EXPECT_EQ(options->intervals, std::nullopt) << "a terminal decides";
}

TEST(DiffOptionsTest, ComparisonsAreNamed) {
  EXPECT_EQ(compared({"-c", "delta"})->request.rule.kind, ChangeKind::Delta);
  EXPECT_EQ(compared({"-c", "delta-abs"})->request.rule.kind, ChangeKind::DeltaAbsolute);
  EXPECT_EQ(compared({"--compute=ratio"})->request.rule.kind, ChangeKind::Ratio);
  const auto weighted = compared({"-c", "wdiff:3,-2"});
  ASSERT_TRUE(weighted) << weighted.error().message;
  EXPECT_EQ(weighted->request.rule.kind, ChangeKind::Weighted);
  EXPECT_EQ(weighted->request.rule.old_weight, 3) << "the baseline's weight is the first";
  EXPECT_EQ(weighted->request.rule.new_weight, -2);
  EXPECT_TRUE(compared({"-c", "cycles"})->request.cycles);
}

TEST(DiffOptionsTest, TheLastComparisonWins) {
  EXPECT_FALSE(compared({"-c", "cycles", "-c", "ratio"})->request.cycles);
  const auto back = compared({"-c", "cycles", "--no-compute"});
  EXPECT_FALSE(back->request.cycles);
  EXPECT_EQ(back->request.rule.kind, ChangeKind::DeltaAbsolute);
  const auto weightless = compared({"-c", "wdiff:1,2", "-c", "delta"});
  EXPECT_EQ(weightless->request.rule.old_weight, 0);
  EXPECT_EQ(weightless->request.rule.new_weight, 0);
}

TEST(DiffOptionsTest, UnknownComparisonsAreReported) {
  EXPECT_EQ(not_compared({"-c", "foo"}), "unknown comparison `foo'");
  EXPECT_EQ(not_compared({"-c", "ratio:3"}), "ratio takes no weights: `3'");
  for (const char* weights : {"wdiff", "wdiff:", "wdiff:1", "wdiff:1,", "wdiff:,2"})
    EXPECT_EQ(not_compared({"-c", weights}), "wdiff requires two weights, the baseline's first: wdiff:1,2") << weights;
  EXPECT_EQ(not_compared({"-c", "wdiff:x,2"}), "invalid weight 'x'");
  EXPECT_EQ(not_compared({"-c", "wdiff:1,2,3"}), "invalid weight '2,3'");
}

TEST(DiffOptionsTest, PercentagesHaveABase) {
  EXPECT_TRUE(compared({"--percentage", "relative"})->request.relative);
  EXPECT_FALSE(compared({"--percentage", "relative", "--percentage", "absolute"})->request.relative);
  EXPECT_FALSE(compared({"--percentage", "relative", "--no-percentage"})->request.relative);
  for (const char* wrong : {"half", "", "Relative"})
    EXPECT_EQ(not_compared({"--percentage", wrong}),
              std::string("invalid --percentage '") + wrong + "': must be relative or absolute");
}

TEST(DiffOptionsTest, IntervalsAreWantedUnwantedOrUnsaid) {
  EXPECT_EQ(compared({"--interval"})->intervals, true);
  EXPECT_EQ(compared({"--no-interval"})->intervals, false);
}

TEST(DiffOptionsTest, SettingsAreDefaultsOfTheCommandLine) {
  EXPECT_EQ(compared({}, {{"diff.compute", "ratio"}})->request.rule.kind, ChangeKind::Ratio);
  EXPECT_EQ(compared({"-c", "delta"}, {{"diff.compute", "ratio"}})->request.rule.kind, ChangeKind::Delta);
  EXPECT_EQ(compared({}, {{"diff.order", "2"}})->request.order, 2u);
  EXPECT_EQ(compared({"-o", "0"}, {{"diff.order", "2"}})->request.order, 0u);
  EXPECT_EQ(compared({}, {{"diff.order", "last"}})->request.order, 1u) << "no number changes nothing";
  EXPECT_EQ(not_compared({}, {{"diff.compute", "foo"}}), "unknown comparison `foo'");
}

TEST(DiffOptionsTest, FormatsAreThoseOfDiff) {
  EXPECT_EQ(compared({"--format", "csv"})->format.name, "csv");
  EXPECT_EQ(compared({"--format", "folded"})->format.name, "folded");
  EXPECT_TRUE(not_compared({"--format", "pprof"}).starts_with("--format of diff must be one of "));
  EXPECT_TRUE(not_compared({"--format", "pprof"}).ends_with(", not 'pprof'"));
}

TEST(DiffOptionsTest, QuietAndVerboseAreCounted) {
  EXPECT_TRUE(compared({"-q"})->look.quiet);
  EXPECT_EQ(compared({"-vv"})->verbose, 2);
  EXPECT_EQ(compared({"-vv", "--no-verbose"})->verbose, 0);
}

// The files that the sandbox allows a comparison to read and write.
class DiffNeeds : public ::testing::Test {
 protected:
  ReaderNeeds needs(const std::vector<std::string>& arguments, std::vector<std::string> words) {
    const Config config;
    Messages messages("perf", -1);
    Sink out;
    const Invocation call{.command = kDiff,
                          .config = config,
                          .messages = messages,
                          .out = out,
                          .argv = {},
                          .arguments = {},
                          .words = std::move(words)};
    return needs_of(*compared(arguments), call);
  }
};

TEST_F(DiffNeeds, RecordingsAreReadAndPicturesWritten) {
  EXPECT_THAT(needs({}, {"a.data", "b.data"}).inputs, testing::IsSupersetOf({"a.data", "b.data"}));
  const ReaderNeeds drawn = needs({"--flamegraph", "out/change.svg", "--html", "change.html"}, {});
  EXPECT_THAT(drawn.outputs, testing::IsSupersetOf({"out/change.svg", "change.html"}));
  EXPECT_THAT(drawn.outputs, Contains("out/change.*.svg")) << "one more for each further event";
  EXPECT_THAT(needs({"--output", "rows"}, {}).outputs, Contains("rows"));
  EXPECT_THAT(needs({}, {}).outputs, Not(Contains("rows")));
}

TEST(DiffCommand, OptionsThatExcludeEachOtherAreReported) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& test : {
           Case{{"--cycles-hist", "a", "b"}, "--cycles-hist requires -c cycles"},
           Case{{"--stream", "a", "b", "c"}, "--stream requires two files, not 3"},
           Case{{"--stream", "-c", "cycles", "a", "b"}, "--stream cannot be combined with -c cycles or --format"},
           Case{{"--stream", "--format", "csv", "a", "b"}, "--stream cannot be combined with -c cycles or --format"},
           Case{{"-c", "cycles", "--flamegraph", "x.svg", "a", "b"},
                "--flamegraph and --html cannot be combined with -c cycles"},
           Case{{"--stream", "--html", "x.html", "a", "b"}, "--flamegraph and --html cannot be combined with --stream"},
           Case{{"-s", "bogus", "a", "b"}, "Unknown --sort key: `bogus'"},
           Case{{"-s", "overhead", "a", "b"}, "-s needs at least one grouping key"},
       })
    EXPECT_EQ(misuse_of(kDiff, test.arguments), test.message) << ::testing::PrintToString(test.arguments);
}

TEST(DiffCommand, OrderNamesAFileThatIsThere) {
  struct Case {
    std::vector<std::string> arguments;
    bool fits;
  };
  // With two files, the numbers 0 and 1 are valid.
  for (const Case& test :
       {Case{{"-o", "1", "/none/a", "/none/b"}, true}, Case{{"-o", "2", "/none/a", "/none/b"}, false},
        Case{{"-o", "2", "/none/a", "/none/b", "/none/c"}, true}, Case{{"-o", "2"}, false},
        Case{{"-o", "2", "/none/a"}, false}}) {
    const Called call = called(kDiff, test.arguments);
    EXPECT_EQ(call.code, 255) << "there are no such files anyway";
    EXPECT_EQ(call.said == "Order option out of limit.\n", !test.fits) << ::testing::PrintToString(test.arguments);
  }
}

TEST(DiffCommand, MissingFilesAreNamed) {
  const TemporaryFolder folder;
  const Called call = called(kDiff, {folder.path("old"), folder.path("new")});
  EXPECT_EQ(call.code, 255);
  EXPECT_EQ(call.said, "failed to open " + folder.path("old") + ": No such file or directory\n");
}

}  // namespace
}  // namespace peregrine::cmd
