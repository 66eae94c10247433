#include "session/counting/plan/stat_ports.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/metric/metric_catalogue.h"
#include "analysis/stat/stat_place.h"
#include "event/source.h"
#include "support/kept_messages.h"
#include "support/machine.h"

namespace peregrine {
namespace {

class Ports : public ::testing::Test {
 protected:
  // A request for these ports while the command runs.
  StatRequest request(const std::string& words = {}) const {
    StatRequest request;
    request.sources = EventSources(server_.root());
    request.port.words = words;
    request.runs.command = {"true"};
    return request;
  }
  // The error of take_ports(), or "".
  std::string take(StatRequest& request) {
    const auto done = take_ports(request, messages_);
    return done ? "" : done.error().message;
  }
  testing::Machine server_{PEREGRINE_FIXTURES, "intel-server"};
  testing::KeptMessages messages_;
};

TEST_F(Ports, ReplaceEverythingElseAndAreCountedOnTheWholeMachine) {
  StatRequest ports = request("0:17,0:80");
  ports.events.emplace_back();
  ports.detail = 1;
  ports.metric.words = "ipc";
  ports.metric.load = [] { return MetricCatalogue(); };
  ports.rows.aggregation = StatAggregation::Core;
  ports.target.cpus = "1";
  EXPECT_EQ(take(ports), "");
  EXPECT_EQ(ports.events.size(), 8u);
  EXPECT_EQ(ports.events[0].pmu, "uncore_iio_1");
  EXPECT_EQ(ports.port.chosen.size(), 2u);
  EXPECT_EQ(ports.rows.aggregation, StatAggregation::Global);
  EXPECT_TRUE(ports.target.system_wide);
  EXPECT_TRUE(ports.target.cpus.empty());
  EXPECT_EQ(ports.metric.words, "");
  EXPECT_TRUE(ports.metric.load) << "the source of metrics is no request";
  EXPECT_EQ(ports.detail, 0);
  EXPECT_EQ(messages_.take(),
            "warning: --iostat counts the traffic of whole root ports: ignoring -e, -M, -d, -A, --per-core etc., -C\n");
}

TEST_F(Ports, AreOfACommandUnlessTheWholeMachineIsRequested) {
  StatRequest of_command = request();
  EXPECT_EQ(take(of_command), "");
  EXPECT_TRUE(of_command.port.of_command);
  EXPECT_EQ(of_command.port.chosen.size(), 3u);
  StatRequest endless = request();
  endless.runs.command.clear();
  EXPECT_EQ(take(endless), "");
  EXPECT_FALSE(endless.port.of_command);
  StatRequest system_wide = request();
  system_wide.target.system_wide = true;
  EXPECT_EQ(take(system_wide), "");
  EXPECT_FALSE(system_wide.port.of_command);
}

TEST_F(Ports, RejectUnknownAddresses) {
  StatRequest none = request("0:18");
  EXPECT_EQ(take(none), "no root port matches '0:18'");
  StatRequest one = request("0:18,0:17");
  EXPECT_EQ(take(one), "");
  EXPECT_EQ(one.port.chosen.size(), 1u);
  EXPECT_EQ(messages_.take(), "warning: no root port 0000:18\nhint: 'perf iostat list' lists the root ports\n");
}

TEST_F(Ports, AreListed) {
  Sink out;
  ASSERT_TRUE(list_ports(server_.root(), out));
  EXPECT_EQ(out.text(), "S0-uncore_iio_0<0000:00>\nS1-uncore_iio_0<0000:80>\nS0-uncore_iio_1<0000:17>\n");
}

}  // namespace
}  // namespace peregrine
