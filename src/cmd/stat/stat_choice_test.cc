#include "cmd/stat/stat_choice.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/fd.h"
#include "base/types.h"
#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "cmd/stat/stat_destination.h"
#include "cmd/test_options.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

Result<StatOptions> counted(const std::vector<std::string>& arguments) {
  return options_of<StatOptions>(kStat, arguments);
}
std::string not_counted(const std::vector<std::string>& arguments) { return refusal_of<StatOptions>(kStat, arguments); }

TEST(StatChoice, RepeatsOnceUnlessAskedForMore) {
  EXPECT_EQ(counted({})->request.runs.repeat, 1u);
  EXPECT_FALSE(counted({})->repeat_given);
  EXPECT_EQ(counted({"-r", "3"})->request.runs.repeat, 3u);
  EXPECT_TRUE(counted({"-r3"})->repeat_given);
  EXPECT_EQ(counted({"-r0"})->request.runs.repeat, 0u) << "until a signal comes";
  const auto taken_back = counted({"-r3", "--no-repeat"});
  EXPECT_EQ(taken_back->request.runs.repeat, 1u);
  EXPECT_FALSE(taken_back->repeat_given);
  EXPECT_EQ(not_counted({"-r", "x"}), "switch `r' expects a numerical value");
  EXPECT_EQ(not_counted({"-r", "-1"}), "Run count must be a positive number");
}

TEST(StatChoice, PrintsAtIntervals) {
  EXPECT_EQ(counted({"-I", "100"})->request.timing.interval_ms, 100u);
  EXPECT_EQ(not_counted({"-I", "-1"}), "switch `I' expects a numerical value");
  EXPECT_EQ(not_counted({"--interval-print", "1s"}), "option `interval-print' expects a numerical value");
}

TEST(StatChoice, ComparesWithACommandThatHasWords) {
  EXPECT_EQ(counted({"--vs", "gzip -9"})->versus, "gzip -9");
  for (const char* blank : {"", " ", "   "})
    EXPECT_EQ(not_counted({"--vs", blank}), "option `vs' expects a command to compare with");
}

TEST(StatChoice, PortsAreAllOrNamed) {
  EXPECT_EQ(counted({})->request.port.words, std::nullopt);
  EXPECT_EQ(counted({"--iostat"})->request.port.words, "");
  EXPECT_EQ(counted({"--iostat=0000:00"})->request.port.words, "0000:00");
  EXPECT_EQ(counted({"--iostat", "--no-iostat"})->request.port.words, std::nullopt);
  const auto none = counted({"--iostat="});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "missing port in --iostat=");
  EXPECT_EQ(none.error().hint, "use --iostat without a value for all ports");
}

TEST(StatChoice, ProgramsAreNamedByTheirIds) {
  EXPECT_EQ(counted({"-b", "4,17"})->request.bpf.programs, (std::vector<u32>{4, 17}));
  EXPECT_EQ(counted({"-b", "4", "--no-bpf-prog"})->request.bpf.programs, std::vector<u32>{});
  for (const char* wrong : {"0", "x", "1,,2", "4294967296", "-1"})
    EXPECT_TRUE(not_counted({"-b", wrong}).starts_with("invalid BPF program id '")) << wrong;
}

TEST(StatChoice, CachesHaveALevelOrAreTheLast) {
  const auto last = counted({"--per-cache"});
  EXPECT_EQ(last->request.rows.aggregation, StatAggregation::Cache);
  EXPECT_EQ(last->request.rows.cache_level, 0u);
  EXPECT_EQ(counted({"--per-cache=L2"})->request.rows.cache_level, 2u);
  EXPECT_EQ(counted({"--per-cache=l4"})->request.rows.cache_level, 4u);
  for (const char* wrong : {"L0", "L5", "2", "L22"})
    EXPECT_EQ(not_counted({std::string("--per-cache=") + wrong}), std::string("unknown cache level '") + wrong + "'");
}

TEST(StatChoice, LatenciesAreShownByTheirMode) {
  EXPECT_EQ(counted({})->request.latency.mode, LatencyMode::Mean);
  EXPECT_EQ(counted({"--tpebs-mode", "last"})->request.latency.mode, LatencyMode::Last);
  EXPECT_EQ(counted({"--tpebs-mode", "max", "--no-tpebs-mode"})->request.latency.mode, LatencyMode::Mean);
  EXPECT_EQ(not_counted({"--tpebs-mode", "median"}), "--tpebs-mode: 'median' must be one of mean, min, max, last");
}

TEST(StatChoice, MetricsAddUp) {
  EXPECT_EQ(counted({"-M", "ipc", "-M", "cpi,l3"})->request.metric.words, "ipc,cpi,l3");
  EXPECT_EQ(counted({"-M", "ipc", "--no-metrics"})->request.metric.words, "");
}

TEST(StatChoice, JsonLinesAreJson) {
  EXPECT_TRUE(counted({"--json-lines"})->json);
  EXPECT_TRUE(counted({"--json-lines"})->json_lines);
  EXPECT_FALSE(counted({"--json"})->json_lines);
  EXPECT_FALSE(counted({"--json-lines", "--no-json-lines"})->json);
}

TEST(StatChoice, ControlChannelsMustBeOpen) {
  EXPECT_NE(not_counted({"--control", "fd:99999"}), "accepted");
  EXPECT_NE(not_counted({"--control", "nothing:1"}), "accepted");
  EXPECT_EQ(not_counted({"--no-control"}), "accepted");
}

TEST(StatOutput, SafeCellsNeedASeparator) {
  const TemporaryFolder folder;
  const auto opened = [&](std::vector<std::string> arguments) -> std::string {
    auto to = StatDestination::open(*counted(arguments));
    return to ? to->is_file() ? "file" : "descriptor" : to.error().message;
  };
  EXPECT_EQ(opened({"--csv-safe"}), "--csv-safe requires -x");
  EXPECT_EQ(opened({"-x,", "-o", folder.path("out")}), "file");
  EXPECT_EQ(
      folder.mode("out"), 0644u &
                              ~[] {
                                const mode_t mask = ::umask(0);
                                ::umask(mask);
                                return mask;
                              }())
      << "counts are nothing private";
  EXPECT_EQ(opened({}), "descriptor");
  EXPECT_TRUE(opened({"-o", folder.path("none/out")}).starts_with("failed to create output file"));
  EXPECT_TRUE(opened({"--log-fd", "99999"}).starts_with("Failed opening logfd"));
}

TEST(StatOutput, AppendsOrBeginsAnew) {
  const TemporaryFolder folder;
  folder.write("out", "before\n");
  const auto write = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", folder.path("out")});
    auto to = StatDestination::open(*counted(arguments));
    ASSERT_TRUE(to) << to.error().message;
    ASSERT_TRUE(write_all(to->fd(), "counts\n", 7));
  };
  write({"--append"});
  EXPECT_EQ(folder.text("out"), "before\ncounts\n");
  write({});
  EXPECT_EQ(folder.text("out"), "counts\n");
}

TEST(StatOutput, SafeCellsReachTheFile) {
  const TemporaryFolder folder;
  {
    auto to = StatDestination::open(*counted({"-x\\t", "--csv-safe", "-o", folder.path("out")}));
    ASSERT_TRUE(to) << to.error().message;
    ASSERT_TRUE(write_all(to->fd(), "1\t=cmd\n", 7));
  }
  EXPECT_EQ(folder.text("out"), "1\t'=cmd\n") << "\\t is a tab";
}

TEST(StatOutput, StyleFollowsTheOptions) {
  const auto style = [](std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    return stat_style(*counted(arguments), "'ls'", Config::of(std::move(environment), {}));
  };
  EXPECT_EQ(style({}).subject, "'ls'");
  EXPECT_EQ(style({}).separator, std::nullopt);
  EXPECT_EQ(style({"-x", "\\t"}).separator, "\t");
  EXPECT_EQ(style({"-x;"}).separator, ";");
  EXPECT_FALSE(style({}).noise);
  EXPECT_TRUE(style({"-r2"}).noise);
  EXPECT_TRUE(style({"-r0"}).noise);
  EXPECT_TRUE(style({"--per-thread", "-a"}).hides_idle);
  EXPECT_FALSE(style({"--per-thread"}).hides_idle);
  EXPECT_FALSE(style({"-o", "file"}, {"NO_COLOR=1"}).color);
  EXPECT_EQ(style({"--no-big-num"}, {"LC_ALL=C"}).thousands, "");
}

}  // namespace
}  // namespace peregrine::cmd
