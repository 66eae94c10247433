#include "session/counting/plan/stat_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "analysis/stat/stat_place.h"
#include "event/source.h"
#include "support/kept_messages.h"
#include "support/temporary_folder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

// A machine with these events in its cpu PMU.
class Presets : public ::testing::Test {
 protected:
  void put(const std::string& path, std::string_view text) {
    const std::filesystem::path file = folder_.path(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void machine(std::initializer_list<const char*> events, const char* pmu = "cpu") {
    const std::string base = fmt::format("sys/bus/event_source/devices/{}/", pmu);
    put(base + "type", pmu == std::string_view("cpu") ? "4" : "14");
    put(base + "format/event", "config:0-7");
    put(base + "format/umask", "config:8-15");
    unsigned umask = 0x80;
    for (const char* event : events) put(base + "events/" + event, fmt::format("event=0x00,umask={:#x}", umask++));
  }
  // The events that a preset adds, e.g. "slots,topdown-retiring", or the error.
  std::string add(StatMetricRequest metric, TargetRequest target = {}) {
    request_ = StatRequest{};
    request_.sources = EventSources(Root(folder_.path()));
    request_.metric = std::move(metric);
    request_.target = std::move(target);
    request_.runs.command = {"true"};
    request_.metric.load = [this] { return metrics_; };
    if (auto added = add_preset_events(request_, messages_); !added) return added.error().message;
    std::string names;
    for (const EventSpec& event : request_.events) names += (names.empty() ? "" : ",") + event.name;
    return names;
  }

  TemporaryFolder folder_;
  testing::KeptMessages messages_;
  MetricCatalogue metrics_;
  StatRequest request_;
};

TEST_F(Presets, TopdownOfTheMetricsRegister) {
  machine({"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"});
  const char* first = "slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound";
  EXPECT_EQ(add({.topdown = true}), first);
  EXPECT_EQ(request_.metric.only, true);
  EXPECT_EQ(request_.events[0].group_size, 5u);
  EXPECT_EQ(add({.topdown = true, .level = 2}), "Invalid top-down metrics level. The max level is 1.");
  machine({"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound"});
  EXPECT_EQ(add({.only = false, .topdown = true, .level = 1}), first);
  EXPECT_EQ(request_.metric.only, false);
  EXPECT_EQ(add({.topdown = true}),
            std::string(first) + ",topdown-heavy-ops,topdown-br-mispredict,topdown-fetch-lat,topdown-mem-bound");
}

TEST_F(Presets, TopdownOfCountersNeedsWholeCores) {
  machine({"topdown-total-slots", "topdown-slots-retired", "topdown-fetch-bubbles", "topdown-slots-issued"});
  EXPECT_EQ(add({.topdown = true}), "top down event configuration requires system-wide mode (-a)");
  EXPECT_EQ(add({.topdown = true}, {.system_wide = true}),
            "topdown-total-slots,topdown-slots-retired,topdown-fetch-bubbles,topdown-slots-issued");
  EXPECT_EQ(request_.rows.aggregation, StatAggregation::Core);
}

TEST_F(Presets, Transactions) {
  machine({"cycles-t", "tx-start"});
  EXPECT_EQ(add({.transaction = true}), "task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/");
  machine({"el-start", "cycles-ct"});
  EXPECT_EQ(add({.transaction = true}),
            "task-clock,instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/");
}

TEST_F(Presets, SystemManagement) {
  machine({"tsc"}, "msr");
  EXPECT_EQ(add({.smi_cost = true}),
            "--smi-cost requires the events msr/aperf/ and msr/smi/, which this machine lacks");
  machine({"aperf", "smi"}, "msr");
  EXPECT_EQ(add({.smi_cost = true}), "msr/aperf/,msr/smi/,cycles");
}

TEST_F(Presets, TopdownFallsBackToMetricsOfTheUser) {
  machine({"cpu-cycles"});
  MetricDefinition metric;
  metric.name = "frontend";
  metric.groups = {"TopdownL2"};
  metric.origin = "my.json";
  metrics_.add({metric});
  EXPECT_EQ(add({.topdown = true, .level = 2}), "");
  EXPECT_EQ(request_.metric.words, "TopdownL2");
  EXPECT_EQ(add({.topdown = true}), "System does not support topdown");
}

TEST_F(Presets, WarnAboutTheWatchdogThatHoldsACounter) {
  machine({"topdown-total-slots", "topdown-slots-retired"});
  add({.topdown = true}, {.system_wide = true});
  EXPECT_EQ(messages_.take(), "");
  put("proc/sys/kernel/nmi_watchdog", "1");
  add({.topdown = true}, {.system_wide = true});
  EXPECT_EQ(messages_.take(),
            "warning: the NMI watchdog uses a counter, so top-down shares are multiplexed; echo 0 > "
            "/proc/sys/kernel/nmi_watchdog frees it\n");
}

TEST_F(Presets, ReportUnsupportedMachines) {
  machine({"cpu-cycles"});
  EXPECT_EQ(add({.topdown = true}), "System does not support topdown");
  EXPECT_EQ(add({.transaction = true}), "Cannot set up transaction events");
}

}  // namespace
}  // namespace peregrine
