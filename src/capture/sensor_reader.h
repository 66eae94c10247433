// SensorReader: what the sensors among a list's events say (hwmon chips, graphics drivers), read by `stat` when it
// reads counters.
//
// Most say what is now. Those that grow (the time that an engine of a graphics card has worked) count from start(), or
// from one interval to the next. Sensors speak of the machine; only graphics drivers tell processes apart.
#pragma once
#include <vector>

#include "event/spec.h"
#include "sys/process/process.h"

namespace peregrine {

class SensorReader {
 public:
  // Changes nothing in `events`; keeps what it needs. `processes`: of -p, whose clients of graphics drivers count.
  SensorReader(const Root& root, const EventList& events, std::vector<Pid> processes);

  void start();
  // By event; 0 where a sensor cannot be read, and for what is none. A sensor below zero reads as zero.
  std::vector<u64> since_start() const;
  std::vector<u64> since_last();

 private:
  struct Place {
    std::size_t event = 0;
    std::string driver;  // "i915", or "" for a file
    std::string path;    // the file, or the key in what the driver says
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
