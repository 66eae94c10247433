// Sensors: temperatures, voltages, fan speeds, … in /sys/class/hwmon, each a file with a number.
//
// linux-perf (6.14) treats a chip as a PMU "hwmon_NAME" with the events "temp1", "fan2", and, named by their labels,
// "temp_core_0".
#pragma once
#include <string>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct Sensor {
  std::string pmu;          // "hwmon_coretemp"
  std::string name;         // "temp1"
  std::string label;        // "temp_core_0", or ""
  std::string path;         // the file to read
  std::string unit;         // "'C"
  double scale = 1;         // number in the file × scale = value in `unit`
  std::string description;  // "Temperature in unit hwmon_coretemp named Core 0. crit=100'C"
};

// Returns the chips in the order of hwmon numbers, with sensors sorted by name.
std::vector<Sensor> read_sensors(const Root& root);

}  // namespace peregrine
