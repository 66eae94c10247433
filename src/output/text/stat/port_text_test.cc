#include "output/text/stat/port_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "capture/counter.h"
#include "event/config/port_event.h"
#include "event/spec.h"
#include "output/csv/port_csv.h"
#include "output/json/port_json.h"
#include "sys/hardware/io_port.h"

namespace peregrine {
namespace {

// Two ports: one with multiplexed counters, so that half of the time is extrapolated to the whole, and one where the
// second and third figure did not count.
class PortScreens : public ::testing::Test {
 protected:
  PortScreens() {
    for (std::size_t i = 0; i < 2 * kPortFigures.size(); ++i) {
      EventSpec spec;
      spec.attr.type = 24;
      spec.scale = 4.0 / (1 << 20);
      events_.push_back(spec);
    }
    std::vector<CounterReading> readings;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const u64 count = 262144 * 3 * (i + 1) / 2;  // 1.5 MB, 3 MB, …
      if (i != 5) readings.push_back({i, 0, -1, count, 1000, i < 4 ? u64{500} : u64{1000}});
    }
    std::vector<bool> supported(events_.size(), true);
    supported[6] = false;
    StatTable table(events_, supported, {});
    table.add_run(readings, {.wall_ns = 2'000'000});
    traffic_ = port_traffic(table, std::vector<IoPort>{{.bus = 0x17}, {.domain = 0x10000, .bus = 0xae}});
  }
  EventList events_;
  std::vector<PortTraffic> traffic_;
};

TEST_F(PortScreens, Text) {
  Sink out;
  print_port_text(traffic_, {}, out);
  EXPECT_EQ(out.text(),
            "   port             Inbound Read(MB)    Inbound Write(MB)    Outbound Read(MB)   Outbound Write(MB) \n"
            "0000:17                    3                    6                    9                   12 \n"
            "10000:ae                    8        <not counted>      <not supported>                   12 \n");
}

TEST_F(PortScreens, TextOfIntervals) {
  Sink out;
  print_port_text(std::span(traffic_).first(1), {.interval_ns = 1'000'123'456}, out);
  print_port_text(std::span(traffic_).first(1), {.interval_ns = 2'000'000'000, .show_titles = false}, out);
  EXPECT_EQ(
      out.text(),
      " #          time    port             Inbound Read(MB)    Inbound Write(MB)    Outbound Read(MB)   Outbound "
      "Write(MB) \n"
      "     1.000123456 0000:17                    3                    6                    9                   12 \n"
      "     2.000000000 0000:17                    3                    6                    9                   12 "
      "\n");
}

TEST_F(PortScreens, Csv) {
  Sink out;
  print_port_csv(traffic_, {.separator = ";", .interval_ns = {}, .first_field = {}}, true, out);
  print_port_csv(std::span(traffic_).first(1), {.interval_ns = 1'500'000'000, .first_field = {}}, true, out);
  print_port_csv(std::span(traffic_).first(1), {.interval_ns = {}, .first_field = "         summary"}, false, out);
  EXPECT_EQ(out.text(),
            "port;Inbound Read(MB);Inbound Write(MB);Outbound Read(MB);Outbound Write(MB);\n"
            "0000:17;3;6;9;12;\n"
            "10000:ae;8;<not counted>;<not supported>;12;\n"
            " time,port,Inbound Read(MB),Inbound Write(MB),Outbound Read(MB),Outbound Write(MB),\n"
            "     1.500000000,0000:17,3,6,9,12,\n"
            "         summary,0000:17,3,6,9,12,\n");
}

TEST_F(PortScreens, Json) {
  Sink out;
  print_port_json(std::span(traffic_).last(1), {.interval_ns = 1'500'000'000}, out);
  EXPECT_EQ(out.text(),
            "{\"interval\" : 1.500000000, \"port\" : \"10000:ae\", \"Inbound Read(MB)\" : \"7.500000\", \"Inbound "
            "Write(MB)\" : null, \"Outbound Read(MB)\" : null, \"Outbound Write(MB)\" : \"12.000000\"}\n");
}

TEST_F(PortScreens, IdlePorts) {
  EXPECT_FALSE(traffic_[0].is_idle());
  EXPECT_FALSE(traffic_[1].is_idle());
  PortTraffic quiet;
  for (auto& amount : quiet.amounts) amount.state = StatState::Counted;
  EXPECT_TRUE(quiet.is_idle());
}

}  // namespace
}  // namespace peregrine
