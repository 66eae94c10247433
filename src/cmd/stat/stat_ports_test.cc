#include "cmd/stat/stat_ports.h"

#include <gtest/gtest.h>

#include "cmd/command_table.h"
#include "cmd/stat/stat_options.h"
#include "support/machine.h"

namespace peregrine::cmd {
namespace {

class Ports : public ::testing::Test {
 protected:
  // The request as it is counted; what was wrong with it is in error_.
  StatRequest taken(std::vector<std::string> arguments) {
    StatRequest request;
    request.sources = EventSources(server_.root());
    const auto parsed = parse_options(kStat.options, kStat.words_at, arguments, &request, kOwner<StatRequest>);
    EXPECT_TRUE(parsed) << parsed.error().message;
    Messages messages("perf", -1);
    Sink out;
    const Config config = Config::of({}, {});
    Invocation call{.command = kStat, .config = config, .messages = messages, .out = out, .words = parsed->words};
    const auto done = take_ports(request, call);
    error_ = done ? "" : done.error().message;
    return request;
  }
  peregrine::testing::Machine server_{PEREGRINE_FIXTURES, "intel-server"};
  std::string error_;
};

TEST_F(Ports, AreCountedOnTheWholeMachineInThePlaceOfAllElse) {
  const StatRequest request =
      taken({"-e", "cycles", "-d", "-M", "ipc", "--per-core", "-C", "1", "--iostat=0:17,0:80", "true"});
  EXPECT_EQ(error_, "");
  EXPECT_EQ(request.events.size(), 8u);
  EXPECT_EQ(request.events[0].pmu, "uncore_iio_1");
  EXPECT_EQ(request.port.chosen.size(), 2u);
  EXPECT_EQ(request.aggregation, StatAggregation::Global);
  EXPECT_TRUE(request.target.system_wide);
  EXPECT_TRUE(request.target.cpus.empty());
  EXPECT_EQ(request.metric.words, "");
  EXPECT_EQ(request.detail, 0);
  EXPECT_TRUE(request.port.of_command);
  EXPECT_FALSE(taken({"--iostat"}).port.of_command);
  EXPECT_FALSE(taken({"--iostat", "-a", "true"}).port.of_command);
  EXPECT_EQ(taken({"--iostat", "true"}).port.chosen.size(), 3u);
}

TEST_F(Ports, OfTheWholeMachineOnly) {
  taken({"--iostat", "-p", "1"});
  EXPECT_EQ(error_, "--iostat does not go together with -p and -t");
  taken({"--iostat", "-a", "--for-each-cgroup", "/"});
  EXPECT_EQ(error_, "--iostat does not go together with -G and --for-each-cgroup");
  taken({"--iostat", "-n", "true"});
  EXPECT_EQ(error_, "--iostat does not go together with -n");
}

TEST_F(Ports, ThatAreNotThere) {
  taken({"--iostat=0:18", "true"});
  EXPECT_EQ(error_, "none of the root ports '0:18' is there");
  EXPECT_EQ(taken({"--iostat=0:18,0:17", "true"}).port.chosen.size(), 1u);
  EXPECT_EQ(error_, "");
}

TEST_F(Ports, AreListed) {
  Sink out;
  ASSERT_TRUE(list_ports(server_.root(), out));
  EXPECT_EQ(out.text(), "S0-uncore_iio_0<0000:00>\nS1-uncore_iio_0<0000:80>\nS0-uncore_iio_1<0000:17>\n");
}

}  // namespace
}  // namespace peregrine::cmd
