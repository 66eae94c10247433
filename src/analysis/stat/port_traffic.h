// PortTraffic: the traffic of each PCI root port, from the counts of its four events.
//
// Fed by cmd with a table that contains exactly the events of add_port_events(). Pure.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "event/config/port_event.h"
#include "sys/hardware/io_port.h"

namespace peregrine {

struct PortTraffic {
  struct Amount {
    StatState state = StatState::NotCounted;
    double mb = 0;  // of 2^20 bytes
  };
  std::string port;  // "0000:17"
  std::array<Amount, kPortFigures.size()> amounts;

  bool is_idle() const;  // all counted, and all zero
};

// In the order of `ports`, from which the table's events were made.
std::vector<PortTraffic> port_traffic(const StatTable& table, std::span<const IoPort> ports);

}  // namespace peregrine
