#include "output/text/stat/stat_text.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "capture/counter.h"
#include "event/spec.h"
#include "output/csv/stat_csv.h"
#include "output/json/stat_json.h"

namespace peregrine {
namespace {

// Three events of one run: a clock, a rate, and one that the machine does not have.
class StatScreens : public ::testing::Test {
 protected:
  StatScreens() {
    const char* names[] = {"task-clock", "page-faults", "cycles"};
    for (u64 i = 0; i < 3; ++i) {
      EventSpec spec;
      spec.name = names[i];
      spec.attr.type = i < 2 ? 1 : 0;
      spec.attr.config = i < 2 ? i + 1 : 0;
      if (i == 0) {
        spec.unit = "msec";
        spec.scale = 1e-6;
      }
      events_.push_back(spec);
    }
  }
  StatTable table(StatAggregation aggregation, std::vector<StatPlace> places) {
    StatTable made(events_, {true, true, false}, {aggregation, std::move(places)});
    made.add_run(std::vector<CounterReading>{{0, 0, 1, 1'618'410, 1'618'410, 1'618'410},
                                             {1, 0, 1, 1234567, 1'618'410, 1'618'410}},
                 {.wall_ns = 2'000'000});
    return made;
  }
  EventList events_;
};

TEST_F(StatScreens, TextOfOneRun) {
  const StatTable made = table(StatAggregation::Global, {{}});
  Sink out;
  print_stat_title("'true'", 1, out);
  print_stat_rows(made, made.rows(), {.thousands = ","}, out);
  print_stat_footer(made, {.any_event = true, .user_s = 0.001, .system_s = 0}, {}, out);
  EXPECT_EQ(out.text(),
            "\n Performance counter stats for 'true':\n\n"
            "              1.62 msec task-clock                       #    0.809 CPUs utilized          \n"
            "         1,234,567      page-faults                      #  762.827 M/sec                  \n"
            "   <not supported>      cycles                                                      \n"
            "\n       0.002000000 seconds time elapsed\n"
            "\n       0.001000000 seconds user\n       0.000000000 seconds sys\n\n\n");
}

TEST_F(StatScreens, TitleIsPrintable) {
  Sink out;
  print_stat_title("'/tmp/\x1b[2J\nx'", 1, out);
  EXPECT_EQ(out.text(), "\n Performance counter stats for '/tmp/\\x1b[2J\\x0ax':\n\n");
}

TEST_F(StatScreens, TextOfPlaces) {
  struct Case {
    StatAggregation aggregation;
    StatPlace place;
    const char* line;
  };
  const Case cases[] = {
      {StatAggregation::Cpu, {.label = "CPU0", .cpus = {0}}, "CPU0                     1.62 msec task-clock"},
      {StatAggregation::Core,
       {.label = "S0-D0-C0", .cpus = {0}},
       "S0-D0-C0           1               1.62 msec task-clock"},
      {StatAggregation::Die, {.label = "S0-D0", .cpus = {0}}, "S0-D0           1               1.62 msec task-clock"},
      {StatAggregation::Socket, {.label = "S0", .cpus = {0}}, "S0        1               1.62 msec task-clock"},
      {StatAggregation::Thread,
       {.label = "bash-1", .thread = 1, .comm = "bash"},
       "            bash-1                      1.62 msec task-clock"},
  };
  for (const Case& each : cases) {
    const StatTable made = table(each.aggregation, {each.place});
    Sink out;
    print_stat_rows(made, made.rows(), {}, out);
    EXPECT_TRUE(out.text().starts_with(each.line)) << out.text();
  }
}

TEST_F(StatScreens, CommaSeparated) {
  const StatTable made = table(StatAggregation::Global, {{}});
  Sink out;
  print_stat_csv(made, made.rows(), {}, out);
  EXPECT_EQ(out.text(),
            "1.62,msec,task-clock,1618410,100.00,0.809,CPUs utilized\n"
            "1234567,,page-faults,1618410,100.00,762.827,M/sec\n"
            "<not supported>,,cycles,0,100.00,,\n");
  out.take();
  const StatTable placed = table(StatAggregation::Socket, {{.label = "S0", .cpus = {0}}});
  print_stat_csv(placed, std::vector{placed.rows()[0]}, {.separator = ";", .interval_ns = 1'500'000'000, .noise = true},
                 out);
  EXPECT_EQ(out.text(), "     1.500000000;S0;1;1.62;msec;task-clock;0.00%;1618410;100.00;0.809;CPUs utilized\n");
}

TEST_F(StatScreens, Json) {
  const StatTable made = table(StatAggregation::Cpu, {{.label = "CPU0", .name = "0", .cpus = {0}}});
  Sink out;
  print_stat_json(made, made.rows(), {.interval_ns = 100'000'001}, out);
  EXPECT_EQ(out.text(),
            "{\"interval\" : 0.100000001, \"cpu\" : \"0\", \"counter-value\" : \"1.618410\", \"unit\" : \"msec\", "
            "\"event\" : "
            "\"task-clock\", \"event-runtime\" : 1618410, \"pcnt-running\" : 100.00, \"metric-value\" : 0.809205, "
            "\"metric-unit\" : \"CPUs utilized\"}\n"
            "{\"interval\" : 0.100000001, \"cpu\" : \"0\", \"counter-value\" : \"1234567.000000\", \"unit\" : \"\", "
            "\"event\" : "
            "\"page-faults\", \"event-runtime\" : 1618410, \"pcnt-running\" : 100.00, \"metric-value\" : 762.827096, "
            "\"metric-unit\" : \"M/sec\"}\n"
            "{\"interval\" : 0.100000001, \"cpu\" : \"0\", \"counter-value\" : \"<not supported>\", \"unit\" : \"\", "
            "\"event\" : "
            "\"cycles\", \"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, "
            "\"metric-unit\" : \"\"}\n");
}

}  // namespace
}  // namespace peregrine
