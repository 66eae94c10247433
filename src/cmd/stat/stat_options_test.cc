// The rows of stat's table that set members of the request.
#include "cmd/stat/stat_options.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metric/metric_set.h"
#include "analysis/stat/stat_place.h"
#include "base/types.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/test_options.h"

namespace peregrine::cmd {
namespace {

using StatWords = std::vector<std::string>;

StatOptions stat_by(const StatWords& words) {
  auto options = options_of<StatOptions>(kStat, words);
  EXPECT_TRUE(options) << words.front() << ": " << options.error().message;
  return options ? std::move(*options) : StatOptions();
}
std::string stat_refusal(const StatWords& words) { return refusal_of<StatOptions>(kStat, words); }

TEST(StatOptionsTest, EachPlaceHasAnOptionAndTheLastOneCounts) {
  struct Case {
    const char* word;
    StatAggregation by;
  };
  for (const Case& test : {Case{"-A", StatAggregation::Cpu},
                           {"--no-aggr", StatAggregation::Cpu},
                           {"--per-socket", StatAggregation::Socket},
                           {"--per-die", StatAggregation::Die},
                           {"--per-core", StatAggregation::Core},
                           {"--per-cluster", StatAggregation::Cluster},
                           {"--per-cache", StatAggregation::Cache},
                           {"--per-thread", StatAggregation::Thread},
                           {"--per-node", StatAggregation::Node}}) {
    SCOPED_TRACE(test.word);
    EXPECT_EQ(stat_by({test.word}).request.rows.aggregation, test.by);
    EXPECT_EQ(stat_by({"--per-die", test.word}).request.rows.aggregation, test.by);
    EXPECT_EQ(stat_by({test.word, "--per-node"}).request.rows.aggregation, StatAggregation::Node);
  }
  EXPECT_EQ(stat_by({}).request.rows.aggregation, StatAggregation::Global);
}

TEST(StatOptionsTest, PlacesAreTakenBack) {
  for (const char* place : {"socket", "die", "core", "cluster", "cache", "thread", "node"}) {
    const std::string name(place);
    EXPECT_EQ(stat_by({"--per-" + name, "--no-per-" + name}).request.rows.aggregation, StatAggregation::Global)
        << place;
  }
  EXPECT_EQ(stat_by({"--per-cache=L2", "--no-per-cache"}).request.rows.cache_level, 0u);
}

TEST(StatOptionsTest, SwitchesSetTheRequest) {
  struct Case {
    const char* word;
    bool (*value)(const StatRequest&);
    bool usual, said;
  };
  for (const Case& test :
       {Case{"-i", [](const StatRequest& of) { return of.opening.inherit; }, true, false},
        {"--no-scale", [](const StatRequest& of) { return of.opening.scale; }, true, false},
        {"-g", [](const StatRequest& of) { return of.opening.group; }, false, true},
        {"-n", [](const StatRequest& of) { return of.null_run; }, false, true},
        {"-S", [](const StatRequest& of) { return of.runs.sync; }, false, true},
        {"--no-merge", [](const StatRequest& of) { return of.rows.merge; }, true, false},
        {"--hybrid-merge", [](const StatRequest& of) { return of.rows.merge_cores; }, false, true},
        {"--all-user", [](const StatRequest& of) { return of.opening.all_user; }, false, true},
        {"--all-kernel", [](const StatRequest& of) { return of.opening.all_kernel; }, false, true},
        {"--percore-show-thread", [](const StatRequest& of) { return of.rows.core_at_each_cpu; }, false, true},
        {"--record-tpebs", [](const StatRequest& of) { return of.latency.is_recorded; }, false, true}}) {
    SCOPED_TRACE(test.word);
    EXPECT_EQ(test.value(stat_by({}).request), test.usual);
    EXPECT_EQ(test.value(stat_by({test.word}).request), test.said);
  }
  EXPECT_TRUE(stat_by({"-i", "--inherit"}).request.opening.inherit);
}

TEST(StatOptionsTest, DetailsAreCounted) {
  EXPECT_EQ(stat_by({}).request.detail, 0);
  EXPECT_EQ(stat_by({"-d"}).request.detail, 1);
  EXPECT_EQ(stat_by({"-ddd"}).request.detail, 3);
  EXPECT_EQ(stat_by({"-d", "--detailed", "-d"}).request.detail, 3);
  EXPECT_EQ(stat_by({"-dd", "--no-detailed"}).request.detail, 0);
}

TEST(StatOptionsTest, TimesAreMilliseconds) {
  EXPECT_EQ(stat_by({"-D", "-1"}).request.timing.delay_ms, -1) << "start disabled";
  EXPECT_EQ(stat_by({"-D", "500"}).request.timing.delay_ms, 500);
  EXPECT_EQ(stat_by({"-D500", "--no-delay"}).request.timing.delay_ms, 0);
  EXPECT_EQ(stat_by({"--timeout", "100"}).request.timing.timeout_ms, 100u);
  EXPECT_EQ(stat_by({"-I", "1000", "--interval-count", "3"}).request.timing.interval_count, 3u);
  EXPECT_EQ(stat_by({"--timeout", "2s"}).request.timing.timeout_ms, 2000u);
  EXPECT_EQ(stat_by({"--timeout", "500us"}).request.timing.timeout_ms, 1u) << "0 is no limit";
  EXPECT_EQ(stat_refusal({"--timeout", "1h"}), "option `timeout' expects a numerical value");
  EXPECT_EQ(stat_refusal({"--timeout", "4294967296"}), "option `timeout' expects a numerical value") << "2^32";
  EXPECT_EQ(stat_refusal({"-D", "soon"}), "switch `D' expects a numerical value");
}

// After --no-interval-print, linux-perf counts without intervals.
TEST(StatOptionsTest, IntervalsAndComparisonsAreTakenBack) {
  EXPECT_EQ(stat_by({"-I", "100", "--no-interval-print"}).request.timing.interval_ms, 0u);
  EXPECT_EQ(stat_by({"--no-interval-print"}).request.timing.interval_ms, 0u);
  EXPECT_EQ(stat_by({"--vs", "gzip -9", "--no-vs"}).versus, "");
}

TEST(StatOptionsTest, MetricsShareEventsUnlessForbidden) {
  const MetricOptions usual = stat_by({}).request.metric.options;
  EXPECT_TRUE(usual.group && usual.merge && usual.threshold);
  EXPECT_FALSE(stat_by({"--metric-no-group"}).request.metric.options.group);
  EXPECT_FALSE(stat_by({"--metric-no-merge"}).request.metric.options.merge);
  EXPECT_FALSE(stat_by({"--metric-no-threshold"}).request.metric.options.threshold);
  const MetricOptions again = stat_by({"--metric-no-group", "--no-metric-no-group"}).request.metric.options;
  EXPECT_TRUE(again.group);
}

TEST(StatOptionsTest, PresetsOfMetrics) {
  EXPECT_TRUE(stat_by({"-T"}).request.metric.transaction);
  EXPECT_TRUE(stat_by({"--smi-cost"}).request.metric.smi_cost);
  const StatMetricRequest topdown = stat_by({"--topdown", "--td-level", "2"}).request.metric;
  EXPECT_TRUE(topdown.topdown);
  EXPECT_EQ(topdown.level, 2u);
  EXPECT_EQ(stat_by({}).request.metric.only, std::nullopt) << "the preset decides";
  EXPECT_EQ(stat_by({"--metric-only"}).request.metric.only, true);
  EXPECT_EQ(stat_by({"--no-metric-only"}).request.metric.only, false);
}

TEST(StatOptionsTest, OutputIsChosenBesideTheRequest) {
  const StatOptions options = stat_by({"-x;", "-o", "counts", "--append", "--log-fd", "5", "--table", "--summary"});
  EXPECT_EQ(options.separator, ";");
  EXPECT_EQ(options.output, "counts");
  EXPECT_TRUE(options.append && options.table && options.summary);
  EXPECT_EQ(options.log_fd, 5);
  EXPECT_EQ(stat_by({"-x", ""}).separator, "") << "an empty separator is one";
  EXPECT_EQ(stat_by({"-x;", "--no-field-separator"}).separator, std::nullopt);
  EXPECT_EQ(stat_by({"--log-fd=5", "--no-log-fd"}).log_fd, std::nullopt);
  EXPECT_EQ(stat_by({"-B"}).big_numbers, true);
  EXPECT_EQ(stat_by({"--no-big-num"}).big_numbers, false);
}

TEST(StatOptionsTest, ShellCommandsSurroundEachRun) {
  const StatRequest request = stat_by({"--pre", "sync", "--post", "make clean"}).request;
  EXPECT_EQ(request.runs.before, "sync");
  EXPECT_EQ(request.runs.after, "make clean");
}

TEST(StatOptionsTest, EventsAddUpAndAreTakenBack) {
  EXPECT_EQ(stat_by({"-e", "cpu-clock,task-clock", "-e", "page-faults"}).request.events.size(), 3u);
  EXPECT_EQ(stat_by({"-e", "cpu-clock", "-e", "page-faults"}).last_word, 1u) << "--filter belongs to the last -e";
  EXPECT_TRUE(stat_by({"-e", "cpu-clock", "--no-event"}).request.events.empty());
  EXPECT_EQ(stat_refusal({"--filter", "x == 1"}), "--filter option should follow a -e tracepoint or HW tracer option");
}

TEST(StatOptionsTest, HistogramsHaveBoundsInOrder) {
  EXPECT_EQ(stat_by({"--buckets", "0,100,1000"}).request.values.bounds, (std::vector<i64>{0, 100, 1000}));
  EXPECT_EQ(stat_by({"--buckets", "-5,5"}).request.values.bounds, (std::vector<i64>{-5, 5}));
  EXPECT_TRUE(stat_by({"--buckets", "1,2", "--no-buckets"}).request.values.bounds.empty());
  for (const char* wrong : {"", "x", "2,1", "1,1", "1,,2"})
    EXPECT_NE(stat_refusal({"--buckets", wrong}), "accepted") << wrong;
}

TEST(StatOptionsTest, TheCommandKeepsItsOwnOptions) {
  StatOptions options;
  const auto parsed =
      parse_options(kStat.options, kStat.words_at, StatWords{"-r2", "ls", "-r", "-x"}, &options, kOwner<StatOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->words, (StatWords{"ls", "-r", "-x"}));
  EXPECT_EQ(options.request.runs.repeat, 2u);
  EXPECT_FALSE(options.separator);
}

}  // namespace
}  // namespace peregrine::cmd
