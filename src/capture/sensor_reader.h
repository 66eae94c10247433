// SensorReader: reads the sensors in a list of events (hwmon chips, graphics drivers) when `stat` reads counters.
//
// Most report a current value. Cumulative ones (busy time of a graphics engine) count from start(), or per interval.
// Sensors cover the whole machine; only graphics drivers distinguish processes.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/types.h"
#include "event/spec.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class SensorReader {
 public:
  // Leaves `events` unchanged and copies what it needs. `processes`: of -p, for graphics drivers.
  SensorReader(const Root& root, const EventList& events, std::vector<Pid> processes);

  void start();
  // By event; 0 for non-sensors and for sensors that cannot be read or are negative.
  std::vector<u64> since_start() const;
  std::vector<u64> since_last();

 private:
  struct Place {
    std::size_t event = 0;
    std::string driver;  // "i915", or "" for a file
    std::string path;    // the file, or the key in the driver's report
    bool grows = false;
  };
  std::vector<u64> read() const;
  std::vector<u64> grown(std::vector<u64> now, const std::vector<u64>& before) const;

  Root root_;
  std::size_t size_ = 0;
  std::vector<Place> places_;
  std::vector<Pid> processes_;
  std::vector<u64> first_, last_;
};

}  // namespace peregrine
