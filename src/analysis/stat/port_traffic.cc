#include "analysis/stat/port_traffic.h"

#include <algorithm>
#include <cstddef>

#include "sys/hardware/io_port.h"

namespace peregrine {

bool PortTraffic::is_idle() const {
  return std::ranges::all_of(amounts,
                             [](const Amount& amount) { return amount.state == StatState::Counted && amount.mb == 0; });
}

std::vector<PortTraffic> port_traffic(const StatTable& table, std::span<const IoPort> ports) {
  std::vector<PortTraffic> traffic;
  for (const IoPort& port : ports) traffic.push_back({.port = port.address(), .amounts = {}});
  for (const StatRow& row : table.rows()) {
    const std::size_t port = row.event / kPortFigures.size();
    if (port < traffic.size())
      traffic[port].amounts[row.event % kPortFigures.size()] = {.state = row.state, .mb = row.value};
  }
  return traffic;
}

}  // namespace peregrine
