// Sensors: the temperatures, voltages, fan speeds … that /sys/class/hwmon shows, each a file with a number.
//
// linux-perf (6.14) treats a chip as a PMU "hwmon_NAME" whose events are "temp1", "fan2", and by their labels
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
  double scale = 1;         // file's number × scale = unit
  std::string description;  // "Temperature in unit hwmon_coretemp named Core 0. crit=100'C"
};

// Chips in the order of hwmon numbers, sensors by name.
std::vector<Sensor> read_sensors(const Root& root);

}  // namespace peregrine
