#include "analysis/metric/metric_set.h"

#include <gtest/gtest.h>

#include <utility>

#include "analysis/metric/machine_facts.h"
#include "analysis/metric/metric_file.h"
#include "support/machine.h"
#include "sys/root.h"

namespace peregrine {
namespace {

// An Intel server: cpu PMU with slots, two memory controllers, power, msr.
class MetricPlans : public ::testing::Test {
 protected:
  // Plans `words` over metrics given as JSON, in addition to the built-in ones.
  bool plan(std::string_view words, std::string_view json = "[]", MetricOptions options = {}) {
    auto file = read_metric_file(json, "test.json");
    EXPECT_TRUE(file && file->problems.empty());
    MetricCatalogue catalogue;
    if (file) catalogue.add(std::move(file->metrics));
    auto facts = machine_facts(sources_, {.system_wide = true, .chosen = {}});
    auto made = plan_metrics(words, catalogue, options, facts, sources_, events_, warnings_);
    error_ = made ? Error{} : made.error();
    if (made) set_ = std::move(*made);
    return made.has_value();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const EventSpec& event : events_) names.push_back(event.name);
    return names;
  }
  // "a,b" for a group of two; groups separated by spaces.
  std::string groups() const {
    std::string text;
    for (std::size_t i = 0; i < events_.size(); ++i)
      text += (text.empty() ? "" : events_[i].leader == i ? " " : ",") + events_[i].name;
    return text;
  }
  std::vector<StatMetric> at(std::size_t event, const std::vector<double>& counts) const {
    StatPlaceCounts place{.counts = counts, .counted = {}};
    for (const double count : counts) place.counted.push_back(count >= 0);
    return set_.metrics_at(events_, event, place);
  }

  EventSources sources_{Root(PEREGRINE_FIXTURES "/sysroot/server")};
  EventList events_;
  MetricSet set_;
  std::vector<std::string> warnings_;
  Error error_;
};

// A latency is sampled separately: it uses no counter of the group, and fractions count.
TEST_F(MetricPlans, RetireLatenciesAreInNoGroup) {
  ASSERT_TRUE(
      plan("stall", R"([{"MetricName": "stall", "MetricExpr": "cache\\-misses * cache\\-misses:R / cycles"}])"));
  EXPECT_EQ(groups(), "cache-misses,cycles cache-misses:R");
  EXPECT_EQ(events_[0].group_size, 2u);
  EXPECT_TRUE(events_[2].retire_latency);
  const auto shown = at(0, {10, 100, 2.5});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_DOUBLE_EQ(shown[0].value.value_or(-1), 0.25);
}

TEST_F(MetricPlans, OneGroupForEachMetric) {
  ASSERT_TRUE(plan("ipc"));
  EXPECT_EQ(groups(), "instructions,cycles");
  EXPECT_TRUE(events_[0].weak_group);
  EXPECT_EQ(events_[0].group_size, 2u);
  const auto shown = at(0, {300, 100});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].unit, "ipc");
  EXPECT_DOUBLE_EQ(shown[0].value.value_or(-1), 3);
  EXPECT_TRUE(at(1, {300, 100}).empty());
  EXPECT_TRUE(set_.owns(1));
  EXPECT_FALSE(set_.owns(2));
}

TEST_F(MetricPlans, SharesGroupsUnlessToldNotTo) {
  const char* json = R"([{"MetricName": "a", "MetricExpr": "cycles / instructions + branches", "MetricGroup": "g"},
                         {"MetricName": "b", "MetricExpr": "instructions / cycles", "MetricGroup": "g"}])";
  ASSERT_TRUE(plan("g", json));
  EXPECT_EQ(groups(), "cycles,instructions,branches");
  EXPECT_EQ(at(0, {1, 2, 3}).size(), 2u);
  events_.clear();
  ASSERT_TRUE(plan("g", json, {.merge = false}));
  EXPECT_EQ(groups(), "cycles,instructions,branches instructions,cycles");
  events_.clear();
  ASSERT_TRUE(plan("g", json, {.group = false}));
  EXPECT_EQ(groups(), "cycles instructions branches");
}

TEST_F(MetricPlans, MetricsReferToMetricsAndHaveThresholds) {
  ASSERT_TRUE(plan("outer", R"([
    {"MetricName": "inner", "MetricExpr": "branch\\-misses / branches"},
    {"MetricName": "outer", "MetricExpr": "1 - inner", "ScaleUnit": "100%", "MetricThreshold": "outer > 0.5 & inner < 0.5"}])"));
  EXPECT_EQ(groups(), "branch-misses,branches");
  const auto shown = at(0, {10, 100});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].unit, "%  outer");
  EXPECT_DOUBLE_EQ(shown[0].value.value_or(-1), 90);
  EXPECT_EQ(shown[0].is_bad, true);
  EXPECT_EQ(at(0, {90, 100})[0].is_bad, false);
}

TEST_F(MetricPlans, SaysWhyThereIsNoValue) {
  ASSERT_TRUE(plan("ipc"));
  EXPECT_EQ(at(0, {300, -1})[0].reason, "cycles did not count");
  EXPECT_EQ(at(0, {300, 0})[0].reason, "division by zero");
}

TEST_F(MetricPlans, SlotsLead) {
  ASSERT_TRUE(plan("x", R"([{"MetricName": "x", "MetricExpr": "instructions / slots"}])"));
  EXPECT_EQ(groups(), "slots,instructions");
}

TEST_F(MetricPlans, UncoreEventsAreAddedUpAndTheToolsTimesAreSeconds) {
  ASSERT_TRUE(plan("bandwidth", R"json([{"MetricName": "bandwidth",
    "MetricExpr": "uncore_imc@cas_count_read@ / duration_time / source_count(uncore_imc@cas_count_read@)"}])json"));
  ASSERT_EQ(events_.size(), 3u);
  EXPECT_EQ(events_[2].tool, ToolEvent::DurationTime);
  EXPECT_DOUBLE_EQ(at(0, {300, 100, 2e9})[0].value.value_or(-1), 100);
}

TEST_F(MetricPlans, ConstraintsKeepEventsApart) {
  ASSERT_TRUE(plan("x", R"([{"MetricName": "x", "MetricExpr": "cycles / instructions",
                            "MetricConstraint": "NO_GROUP_EVENTS"}])"));
  EXPECT_EQ(groups(), "cycles instructions");
  events_.clear();
  const char* json = R"([{"MetricName": "y", "MetricExpr": "cycles / instructions", "MetricGroup": "g;h",
                          "MetricgroupNoGroup": "g"}])";
  ASSERT_TRUE(plan("g", json));
  EXPECT_EQ(groups(), "cycles instructions");
  events_.clear();
  ASSERT_TRUE(plan("h", json));
  EXPECT_EQ(groups(), "cycles,instructions");
}

TEST_F(MetricPlans, ModifiersGoToTheEvents) {
  ASSERT_TRUE(plan("ipc:u,ipc:k"));
  EXPECT_EQ(groups(), "instructions:u,cycles:u instructions:k,cycles:k");
  EXPECT_DOUBLE_EQ(at(2, {1, 1, 300, 100})[0].value.value_or(-1), 3);
}

TEST_F(MetricPlans, AMetricWithoutEventsStandsAtTheTime) {
  ASSERT_TRUE(plan("x", R"([{"MetricName": "x", "MetricExpr": "#Num_Packages + 1"}])"));
  EXPECT_EQ(groups(), "duration_time");
  EXPECT_EQ(at(0, {1e9}).size(), 1u);
}

TEST_F(MetricPlans, CopiesForCgroups) {
  ASSERT_TRUE(plan("ipc"));
  set_.repeat_every(events_.size());
  events_.insert(events_.end(), events_.begin(), events_.begin() + 2);
  EXPECT_DOUBLE_EQ(at(2, {300, 100, 50, 100})[0].value.value_or(-1), 0.5);
  EXPECT_TRUE(set_.owns(3));
}

TEST_F(MetricPlans, Errors) {
  EXPECT_FALSE(plan("ipcc"));
  EXPECT_EQ(error_.message, "Cannot find metric or group `ipcc'");
  EXPECT_EQ(error_.hint, "did you mean 'ipc'?");
  EXPECT_FALSE(plan("x", R"([{"MetricName": "x", "MetricExpr": "no_such_event / 2"}])"));
  EXPECT_EQ(error_.message, "metric 'x' requires event 'no_such_event', which is not available here");
  EXPECT_FALSE(plan("x", R"([{"MetricName": "x", "MetricExpr": "#no_such_fact"}])"));
  EXPECT_FALSE(plan("x", R"([{"MetricName": "x", "MetricExpr": "y"}, {"MetricName": "y", "MetricExpr": "x"}])"));
  EXPECT_TRUE(events_.empty());
  // Of a group, the metrics that can be counted are planned.
  EXPECT_TRUE(plan("g", R"([{"MetricName": "x", "MetricExpr": "no_such_event", "MetricGroup": "g"},
                            {"MetricName": "y", "MetricExpr": "cycles", "MetricGroup": "g"}])"));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(
      warnings_[0],
      "1 of 2 metrics cannot be counted here: metric 'x' requires event 'no_such_event', which is not available here");
}

// Two types of core: their counters cannot form a group, and a metric of one type is counted only there.
TEST(MetricPlansOfHybrids, EachKindOfCoreForItself) {
  const peregrine::testing::Machine machine(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(machine.root());
  MetricCatalogue catalogue;
  catalogue.add({{.name = "core_ipc", .expression = "instructions / cycles", .pmu = "cpu_core"}});
  EventList events;
  std::vector<std::string> warnings;
  const auto facts = machine_facts(sources, {});
  const auto both = plan_metrics("ipc", catalogue, {}, facts, sources, events, warnings);
  ASSERT_TRUE(both);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].pmu, events[1].pmu);
  EXPECT_EQ(events[1].leader, 0u);
  EXPECT_EQ(events[2].leader, 2u);
  EXPECT_NE(events[2].pmu, events[0].pmu);
  // Both types together: instructions that ran on either.
  const StatPlaceCounts place{.counts = {300, 100, 100, 300}, .counted = {true, true, true, true}};
  EXPECT_DOUBLE_EQ(both->metrics_at(events, 0, place)[0].value.value_or(-1), 1);
  events.clear();
  ASSERT_TRUE(plan_metrics("core_ipc", catalogue, {}, facts, sources, events, warnings));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].pmu, "cpu_core");
}

TEST(MachineFacts, ComparesArmRevisions) {
  EXPECT_TRUE(is_same_cpu("0x410fd493", "0x00000000410fd493"));
  EXPECT_TRUE(is_same_cpu("0x410fd490", "0x410fd493"));
  EXPECT_FALSE(is_same_cpu("0x411fd490", "0x410fd493"));
  EXPECT_FALSE(is_same_cpu("0x410fd4a0", "0x410fd493"));
  EXPECT_TRUE(is_same_cpu("GenuineIntel-6-55-4", "GenuineIntel-6-55-4"));
}

}  // namespace
}  // namespace peregrine
