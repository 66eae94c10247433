// Options of report, and options of annotate, diff and top that share values with it.
#include "cmd/report/report_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/change.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/command_table.h"
#include "cmd/diff/diff_options.h"
#include "cmd/test_options.h"
#include "cmd/top/top_options.h"
#include "event/config/callgraph.h"

namespace peregrine::cmd {
namespace {

using Arguments = std::vector<std::string>;

Result<ReportOptions> reported(const Arguments& arguments, std::vector<Setting> settings = {}) {
  return options_of<ReportOptions>(kReport, arguments, std::move(settings));
}

TEST(ReportChoice, LimitsAreOfRowsAndOfBranches) {
  const auto limited = reported({"--percent-limit", "2.5"});
  EXPECT_DOUBLE_EQ(limited->request.look.percent_limit, 2.5);
  EXPECT_DOUBLE_EQ(limited->request.chains.graph.least_percent, 2.5);
  const auto negated = reported({"--percent-limit=2.5", "--no-percent-limit"});
  EXPECT_DOUBLE_EQ(negated->request.look.percent_limit, 0);
  EXPECT_DOUBLE_EQ(negated->request.chains.graph.least_percent, 0.5);
  for (const char* wrong : {"", "x", "-1", "nan"})
    EXPECT_EQ(refusal_of<ReportOptions>(kReport, {"--percent-limit", wrong}),
              std::string("invalid --percent-limit '") + wrong + "': must be a percentage");
}

TEST(ReportChoice, PercentagesAreOfAllOrOfTheRest) {
  EXPECT_TRUE(reported({"--percentage", "relative"})->request.grouping.relative);
  EXPECT_FALSE(reported({"--percentage", "relative", "--percentage", "absolute"})->request.grouping.relative);
  const std::string message = "invalid --percentage 'half': must be relative or absolute";
  EXPECT_EQ(refusal_of<ReportOptions>(kReport, {"--percentage", "half"}), message);
  EXPECT_EQ(refusal_of<DiffOptions>(kDiff, {"--percentage", "half"}), message);
  EXPECT_EQ(refusal_of<TopOptions>(kTop, {"--percentage", "half"}), message);
}

TEST(ReportChoice, GroupsAreSortedByOneOfTheirEvents) {
  EXPECT_EQ(reported({"--group-sort-idx", "2"})->request.grouping.sort_member, 2u);
  EXPECT_EQ(reported({"--group-sort-idx", "2", "--no-group-sort-idx"})->request.grouping.sort_member, 0u);
  EXPECT_EQ(refusal_of<ReportOptions>(kReport, {"--group-sort-idx", "1x"}),
            "invalid --group-sort-idx '1x': must be a number");
}

TEST(ReportChoice, GraphsCanBeTurnedOff) {
  const auto shown = reported({"-g", "fractal,1,caller"});
  EXPECT_TRUE(shown->request.chains.graph_given);
  EXPECT_EQ(shown->request.chains.graph.mode, GraphMode::Fractal);
  EXPECT_EQ(shown->request.chains.graph.order, ChainOrder::Caller);
  const auto hidden = reported({"--no-call-graph"});
  EXPECT_FALSE(hidden->request.chains.graph_given);
  EXPECT_EQ(hidden->request.chains.graph.mode, GraphMode::None);
  EXPECT_EQ(refusal_of<ReportOptions>(kReport, {"-g", "round"}), "unknown --call-graph value 'round'");
}

TEST(ReportChoice, PerfconfigComesBeforeTheCommandLine) {
  EXPECT_TRUE(reported({})->request.grouping.children);
  EXPECT_FALSE(reported({}, {{"report.children", "no"}})->request.grouping.children);
  EXPECT_TRUE(reported({"--children"}, {{"report.children", "no"}})->request.grouping.children);
  EXPECT_EQ(reported({}, {{"report.sort_order", "comm"}})->request.grouping.sort, "comm");
  EXPECT_EQ(reported({"-s", "dso"}, {{"report.sort_order", "comm"}})->request.grouping.sort, "dso");
  EXPECT_DOUBLE_EQ(reported({}, {{"report.percent-limit", "3"}})->request.look.percent_limit, 3);
}

TEST(ReportChoice, ColorsAreAlwaysNeverOrOfATerminal) {
  EXPECT_EQ(reported({})->color, ColorMode::Auto);
  EXPECT_EQ(reported({"--stdio-color", "always"})->color, ColorMode::Always);
  EXPECT_EQ(reported({"--no-stdio-color"})->color, ColorMode::Never);
  EXPECT_EQ(refusal_of<ReportOptions>(kReport, {"--stdio-color", "red"}),
            "invalid --stdio-color 'red': must be always, never or auto");
  EXPECT_TRUE(wants_color(ColorMode::Auto, true));
  EXPECT_FALSE(wants_color(ColorMode::Auto, false));
  EXPECT_TRUE(wants_color(ColorMode::Always, false));
  EXPECT_FALSE(wants_color(ColorMode::Never, true));
}

TEST(ReportChoice, PerfconfigShowsGroupsButMakesNone) {
  EXPECT_TRUE(reported({})->request.grouping.group);
  const auto grouped = reported({}, {{"report.group", "true"}});
  EXPECT_TRUE(grouped->request.grouping.group);
  EXPECT_FALSE(grouped->request.grouping.group_given);
  EXPECT_FALSE(reported({}, {{"report.group", "false"}})->request.grouping.group);
  EXPECT_TRUE(reported({"--group"}, {{"report.group", "false"}})->request.grouping.group_given);
}

TEST(ReportChoice, PerfconfigSaysWhatIsShown) {
  EXPECT_TRUE(reported({})->request.look.skip_empty);
  EXPECT_FALSE(reported({}, {{"report.skip-empty", "false"}})->request.look.skip_empty);
  EXPECT_FALSE(reported({})->request.grouping.relative);
  EXPECT_TRUE(reported({}, {{"hist.percentage", "relative"}})->request.grouping.relative);
  EXPECT_FALSE(reported({"--percentage", "absolute"}, {{"hist.percentage", "relative"}})->request.grouping.relative);
}

TEST(ReportChoice, PerfconfigChoosesTheCallGraph) {
  const std::vector<Setting> settings{{"call-graph.print-type", "flat"},
                                      {"call-graph.order", "callee"},
                                      {"call-graph.sort-key", "address"},
                                      {"call-graph.threshold", "20"},
                                      {"call-graph.print-limit", "3"}};
  const GraphOptions graph = reported({}, settings)->request.chains.graph;
  EXPECT_EQ(graph.mode, GraphMode::Flat);
  EXPECT_EQ(graph.order, ChainOrder::Callee);
  EXPECT_TRUE(graph.order_given);
  EXPECT_EQ(graph.key, GraphKey::Address);
  EXPECT_DOUBLE_EQ(graph.least_percent, 20);
  EXPECT_EQ(graph.print_limit, 3u);
  EXPECT_EQ(reported({"-g", "fractal"}, settings)->request.chains.graph.key, GraphKey::Address);
  // -g alone means the default keywords, which have no print limit.
  const GraphOptions usual = reported({"-g"}, settings)->request.chains.graph;
  EXPECT_EQ(usual.mode, GraphMode::Graph);
  EXPECT_EQ(usual.order, ChainOrder::Caller);
  EXPECT_DOUBLE_EQ(usual.least_percent, 0.5);
  EXPECT_EQ(usual.print_limit, 3u);
}

TEST(ReportChoice, WrongSettingsAreErrors) {
  const auto refused = [](const char* key, const char* value) {
    return refusal_of<ReportOptions>(kReport, {}, {{key, value}});
  };
  EXPECT_EQ(refused("report.percent-limit", "much"),
            "invalid value 'much' for report.percent-limit: must be a percentage");
  EXPECT_EQ(refused("report.children", "perhaps"),
            "bad config value 'perhaps' for report.children: must be true or false");
  EXPECT_EQ(refused("call-graph.order", "flat"), "invalid value 'flat' for call-graph.order: must be caller or callee");
  EXPECT_EQ(refused("call-graph.threshold", "x"), "invalid value 'x' for call-graph.threshold: must be a percentage");
  EXPECT_EQ(refused("hist.percentage", "x"), "invalid value 'x' for hist.percentage: must be relative or absolute");
  EXPECT_EQ(refused("report.group", "2"), "bad config value '2' for report.group: must be true or false");
}

TEST(ReportChoice, SettlesWhatFollowsFromOtherOptions) {
  auto options = *reported({"-v", "-G", "--stats"});
  options = options.settled(Config::of({}, {{"guest.sides", "guest"}}));
  EXPECT_TRUE(options.request.look.parameters && options.symbols.parameters) << "-v shows parameters of functions";
  EXPECT_TRUE(options.request.samples_only);
  EXPECT_TRUE(options.pictures.inverted);
  EXPECT_FALSE(options.request.selection.hosts);
  EXPECT_TRUE(options.request.selection.guests);
}

TEST(AnnotateChoice, TheScreenIsReports) {
  auto options = *options_of<AnnotateOptions>(kAnnotate, {"-i", "x.data", "-d", "libc", "-C", "0-1", "-v"});
  const ReportOptions report = options.browsed();
  EXPECT_EQ(report.input, "x.data");
  EXPECT_EQ(report.request.selection.dsos, "libc");
  EXPECT_EQ(report.request.selection.cpus, "0-1");
  EXPECT_EQ(report.verbose, 1);
  EXPECT_FALSE(report.request.grouping.children);
}

TEST(DiffChoice, PerfconfigChoosesTheComparison) {
  const auto compared = [](const Arguments& arguments, std::vector<Setting> settings) {
    return options_of<DiffOptions>(kDiff, arguments, std::move(settings));
  };
  EXPECT_EQ(compared({}, {})->request.rule.kind, ChangeKind::DeltaAbsolute);
  EXPECT_EQ(compared({}, {{"diff.compute", "ratio"}})->request.rule.kind, ChangeKind::Ratio);
  EXPECT_EQ(compared({"-c", "delta"}, {{"diff.compute", "ratio"}})->request.rule.kind, ChangeKind::Delta);
  EXPECT_TRUE(compared({"-c", "cycles"}, {})->request.cycles);
  EXPECT_FALSE(compared({"-c", "cycles", "--no-compute"}, {})->request.cycles);
  EXPECT_EQ(compared({}, {{"diff.order", "2"}})->request.order, 2u);
  EXPECT_EQ(compared({}, {{"diff.compute", "guess"}}).error().message, "unknown comparison `guess'");
}

// The first keywords of top's --call-graph say how to record chains, the others how to show them.
TEST(TopChoice, ChainsAreRecordedAndShown) {
  struct Case {
    const char* words;
    CallgraphMode mode;
    u32 stack_bytes;
    GraphMode shown;
    double least;
  };
  for (const Case& test : {
           Case{"fp", CallgraphMode::FramePointer, 0, GraphMode::Graph, 0.5},
           Case{"lbr,flat", CallgraphMode::Lbr, 0, GraphMode::Flat, 0.5},
           Case{"dwarf,4096,fractal,2", CallgraphMode::Dwarf, 4096, GraphMode::Fractal, 2},
           Case{"dwarf,graph,7", CallgraphMode::Dwarf, 8192, GraphMode::Graph, 7},
           Case{"graph,3", CallgraphMode::FramePointer, 0, GraphMode::Graph, 3},
       }) {
    SCOPED_TRACE(test.words);
    const auto options = options_of<TopOptions>(kTop, {"--call-graph", test.words});
    ASSERT_TRUE(options) << options.error().message;
    const auto& recorded = options->record.request.recording.config.callchains.callgraph;
    EXPECT_EQ(recorded.mode, test.mode);
    if (test.stack_bytes != 0) {
      EXPECT_EQ(recorded.stack_bytes, test.stack_bytes);
    }
    EXPECT_EQ(options->report.request.chains.graph.mode, test.shown);
    EXPECT_DOUBLE_EQ(options->report.request.chains.graph.least_percent, test.least);
  }
  EXPECT_EQ(refusal_of<TopOptions>(kTop, {"--call-graph", "fp,square"}), "unknown --call-graph value 'square'");
}

TEST(TopChoice, ChainsCanBeTurnedOffAgain) {
  const auto options = options_of<TopOptions>(kTop, {"-g", "--no-call-graph"});
  EXPECT_EQ(options->record.request.recording.config.callchains.callgraph.mode, CallgraphMode::None);
  EXPECT_EQ(options->report.request.chains.graph.mode, GraphMode::None);
}

TEST(TopChoice, IdleTimeIsHiddenUnlessWanted) {
  const auto hidden = [](const Arguments& arguments) {
    return options_of<TopOptions>(kTop, arguments)->report.request.selection.hide_idle;
  };
  EXPECT_TRUE(hidden({}));
  EXPECT_FALSE(hidden({"--idle"}));
}

TEST(TopChoice, PerfconfigOfTop) {
  EXPECT_FALSE(options_of<TopOptions>(kTop, {}, {{"top.children", "off"}})->report.request.grouping.children);
  const auto chains = options_of<TopOptions>(kTop, {"-g"}, {{"top.call-graph", "dwarf,4096"}});
  EXPECT_EQ(chains->record.request.recording.config.callchains.callgraph.mode, CallgraphMode::Dwarf);
  EXPECT_NE(refusal_of<TopOptions>(kTop, {}, {{"top.call-graph", "square"}}), "accepted");
}

}  // namespace
}  // namespace peregrine::cmd
