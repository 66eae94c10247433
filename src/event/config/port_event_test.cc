#include "event/config/port_event.h"

#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

const std::vector<IoPort> kPorts{{.bus = 0x00, .unit = 0, .die = 0, .cpu = 0},
                                 {.bus = 0x80, .unit = 0, .die = 1, .cpu = 2},
                                 {.bus = 0x3a, .unit = 1, .die = 0, .cpu = 0}};

std::string chosen(std::string_view words) {
  std::vector<std::string> absent;
  const auto ports = choose_ports(kPorts, words, absent);
  if (!ports) return ports.error().message;
  std::string text;
  for (const IoPort& port : *ports) text += port.address() + " ";
  for (const std::string& address : absent) text += "no " + address + " ";
  return text;
}

TEST(PortEvent, PortsAsTyped) {
  EXPECT_EQ(chosen(""), "0000:00 0000:80 0000:3a ");
  EXPECT_EQ(chosen("0:3A,0000:00,,0:3a"), "0000:3a 0000:00 ");
  EXPECT_EQ(chosen("0:80,0:17"), "0000:80 no 0000:17 ");
  EXPECT_EQ(chosen("0:17,1:80"), "no root port matches '0:17,1:80'");
  EXPECT_EQ(chosen(","), "no root port matches ','");
  EXPECT_EQ(chosen("0:80,foo"), "'foo' is not a root port");
}

TEST(PortEvent, FourCountsOfOneUnitOnOneDie) {
  const testing::Machine fake(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(fake.root());
  EventList list;
  ASSERT_TRUE(add_port_events(kPorts, sources, list));
  ASSERT_EQ(list.size(), 12u);
  EXPECT_EQ(list[4].name, "uncore_iio_0/event=0x83,umask=0x04,ch_mask=0xF,fc_mask=0x07/");
  EXPECT_EQ(list[4].group_size, 4u);
  EXPECT_EQ(*list[4].own_cpus, (std::vector<int>{2}));
  EXPECT_TRUE(list[4].system_wide);
  EXPECT_EQ(list[4].attr.config, 0x70f000000483u);
  EXPECT_EQ(list[7].attr.config, 0x70f0000001c0u);
  EXPECT_EQ(list[7].leader, 4u);
  EXPECT_EQ(list[11].attr.type, 25u);
  EXPECT_EQ(list[11].scale * 262144, 1.0);
}

TEST(PortEvent, UnitsOfOtherKinds) {
  const testing::Machine fake(PEREGRINE_FIXTURES, "intel-server");
  fake.write("uncore_iio_1/format/ch_mask = broken");
  EventSources sources(fake.root());
  EventList list;
  EXPECT_EQ(add_port_events(kPorts, sources, list).error().message, "uncore_iio_1 cannot count the traffic of 0000:3a");
}

}  // namespace
}  // namespace peregrine
