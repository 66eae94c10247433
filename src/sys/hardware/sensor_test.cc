#include "sys/hardware/sensor.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "support/machine.h"

namespace peregrine {
namespace {

// A machine with one chip, "coretemp", that has these files.
std::vector<Sensor> sensors_of(std::initializer_list<std::string> files) {
  const testing::Machine machine;
  machine.write("/sys/class/hwmon/hwmon0/name = coretemp");
  for (const std::string& file : files) machine.write("/sys/class/hwmon/hwmon0/" + file);
  return read_sensors(machine.root());
}

TEST(Sensors, AreNamedByTheirFileAndByTheirLabel) {
  const auto sensors = sensors_of({"temp1_input = 42000", "temp1_label = Core 0", "temp1_crit = 100000"});
  ASSERT_EQ(sensors.size(), 1u);
  EXPECT_EQ(sensors[0].pmu, "hwmon_coretemp");
  EXPECT_EQ(sensors[0].name, "temp1");
  EXPECT_EQ(sensors[0].label, "temp_core_0");
  EXPECT_EQ(sensors[0].path, "/sys/class/hwmon/hwmon0/temp1_input");
  EXPECT_EQ(sensors[0].unit, "'C");
  EXPECT_DOUBLE_EQ(sensors[0].scale, 1e-3);
  EXPECT_EQ(sensors[0].description, "Temperature in unit hwmon_coretemp named Core 0. crit=100'C");
}

TEST(Sensors, WithoutALabelAreDescribedByTheirName) {
  const auto sensors = sensors_of({"fan2_input = 1200", "fan2_min = 300"});
  ASSERT_EQ(sensors.size(), 1u);
  EXPECT_EQ(sensors[0].label, "");
  EXPECT_EQ(sensors[0].description, "Fan in unit hwmon_coretemp named fan2. min=300rpm");
}

TEST(Sensors, EachKindHasItsUnit) {
  const auto sensors = sensors_of({"curr1_input = 1", "energy1_input = 1", "humidity1_input = 1", "in0_input = 1",
                                   "power1_average = 1", "pwm1 = 1", "freq1_input = 1", "intrusion0_alarm = 0"});
  std::string units;
  for (const Sensor& sensor : sensors) units += sensor.name + "=" + sensor.unit + " ";
  EXPECT_EQ(units, "curr1=A energy1=J freq1=MHz humidity1=% in0=V intrusion0= power1=W pwm1= ");
}

TEST(Sensors, OtherFilesOfAChipAreNone) {
  EXPECT_TRUE(
      sensors_of({"temp1_max = 1", "temp_input = 1", "tempx_input = 1", "fan1_fault = 0", "uevent = "}).empty());
}

TEST(Sensors, AreNotNeededByAMachine) { EXPECT_TRUE(read_sensors(testing::Machine().root()).empty()); }

}  // namespace
}  // namespace peregrine
