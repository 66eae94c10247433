#include "sys/hardware/io_port.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "support/machine.h"

namespace peregrine {
namespace {

Root unit(const testing::Machine& machine, std::initializer_list<const char*> lines) {
  for (const char* line : lines) machine.write(line);
  return machine.root();
}

std::string listed(const Root& root) {
  const auto ports = read_io_ports(root);
  if (!ports) return ports.error().message;
  std::string text;
  for (const IoPort& port : *ports)
    text += fmt::format("{} {}.{} on {}\n", port.address(), port.pmu(), port.die, port.cpu);
  return text;
}

TEST(IoPort, EachDieOfEachUnitServesOne) {
  const testing::Machine machine;
  EXPECT_EQ(
      listed(unit(machine, {"uncore_iio_0/cpumask = 0,2", "uncore_iio_0/die0 = 0000:00", "uncore_iio_0/die1 = 0000:80",
                            "uncore_iio_10/cpumask = 0,2", "uncore_iio_10/die0 = 0000:5d", "uncore_iio_2/cpumask = 3",
                            "uncore_iio_2/die0 = 10000:AE", "uncore_iio_2/die1 = 0000:ff",
                            "uncore_iio_free_running_0/die0 = 0000:11"})),
      "0000:00 uncore_iio_0.0 on 0\n"
      "0000:80 uncore_iio_0.1 on 2\n"
      "10000:ae uncore_iio_2.0 on 3\n"
      "0000:5d uncore_iio_10.0 on 0\n");
}

TEST(IoPort, ReportsWhyPortsAreMissing) {
  const testing::Machine machine;
  EXPECT_EQ(listed(machine.root()), "cannot count I/O ports on this machine");
  const Root root = unit(machine, {"uncore_iio_0/type = 24"});
  EXPECT_NE(read_io_ports(root).error().hint.find("uncore_iio_0 does not list"), std::string::npos);
  EXPECT_EQ(listed(unit(machine, {"uncore_iio_0/cpumask = 0", "uncore_iio_0/die0 = somewhere"})),
            "/sys/bus/event_source/devices/uncore_iio_0/die0: 'somewhere' is not a root port");
}

TEST(IoPort, AddressesAsTyped) {
  EXPECT_EQ(parse_io_port("0:3a")->address(), "0000:3a");
  EXPECT_EQ(parse_io_port("0000:3A")->address(), "0000:3a");
  EXPECT_EQ(parse_io_port("10000:7")->address(), "10000:07");
  for (const char* wrong : {"", ":", "17", "0:", ":17", "0:1234", "0:1g", "x0:3a", "0:17:00", "-1:17", "123456789:17"})
    EXPECT_FALSE(parse_io_port(wrong)) << wrong;
}

}  // namespace
}  // namespace peregrine
