#include "analysis/metric/metric_file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "analysis/metric/metric_catalogue.h"

namespace peregrine {
namespace {

TEST(MetricFile, ReadsMetricsAndLeavesEventsToOthers) {
  const auto file = read_metric_file(R"([
    {"EventName": "INST_RETIRED.ANY", "EventCode": "0xc0"},
    {"MetricName": "IPC", "MetricExpr": "instructions / cycles", "MetricGroup": "Ret; Summary",
     "BriefDescription": "short", "PublicDescription": "long", "ScaleUnit": "100%", "MetricThreshold": "IPC < 1",
     "MetricConstraint": "NO_NMI_WATCHDOG", "MetricgroupNoGroup": "Summary", "DefaultMetricgroupName": "Top"}])",
                                     "a.json");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->problems.empty());
  ASSERT_EQ(file->metrics.size(), 1u);
  const MetricDefinition& metric = file->metrics[0];
  EXPECT_EQ(metric.name, "IPC");
  EXPECT_EQ(metric.groups, (std::vector<std::string>{"Ret", "Summary"}));
  EXPECT_EQ(metric.constraint, MetricConstraint::NoGroupWithWatchdog);
  EXPECT_EQ(metric.threshold, "IPC < 1");
  EXPECT_EQ(metric.origin, "a.json, entry 2");
}

TEST(MetricFile, NamesWhatIsWrong) {
  EXPECT_FALSE(read_metric_file("{", "a.json"));
  EXPECT_FALSE(read_metric_file("{}", "a.json"));
  const auto file = read_metric_file(R"([1, {"MetricExpr": "1"}, {"MetricName": "X", "MetricExpr": "1 +"},
    {"MetricName": "Y", "MetricExpr": "1", "MetricConstraint": "?"}, {"MetricName": "Z", "MetricExpr": "1"}])",
                                     "a.json");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->problems.size(), 4u);
  EXPECT_EQ(file->problems[1].message, "a.json: entry 2 '': missing MetricName");
  ASSERT_EQ(file->metrics.size(), 1u);
  EXPECT_EQ(file->metrics[0].name, "Z");
}

TEST(MetricFile, ScaleAndUnit) {
  EXPECT_DOUBLE_EQ(metric_scale("100%").factor, 100);
  EXPECT_EQ(metric_scale("100%").unit, "%");
  EXPECT_DOUBLE_EQ(metric_scale("1e-9GHz").factor, 1e-9);
  EXPECT_EQ(metric_scale("MB").unit, "MB");
  EXPECT_DOUBLE_EQ(metric_scale("MB").factor, 1);
}

TEST(MetricCatalogue, FindsNamesGroupsAndNeighbours) {
  MetricCatalogue catalogue;
  EXPECT_NE(catalogue.find("IPC"), nullptr);
  EXPECT_EQ(catalogue.matching("topdownl1").size(), 4u);
  EXPECT_EQ(catalogue.matching("all").size(), catalogue.metrics().size());
  EXPECT_EQ(catalogue.nearest("Brances"), "Branches");
  const std::size_t before = catalogue.metrics().size();
  catalogue.add({{.name = "IPC", .expression = "1"}, {.name = "mine", .expression = "2"}});
  EXPECT_EQ(catalogue.metrics().size(), before + 1);
  EXPECT_EQ(catalogue.find("ipc")->expression, "1");
  EXPECT_EQ(catalogue.matching("no_group").size(), 2u);
}

}  // namespace
}  // namespace peregrine
