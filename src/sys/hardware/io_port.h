// IoPort: a PCI root port as counted by the I/O units of Intel's servers: the unit (PMU uncore_iio_N) and die that
// serve the port's root bus. The source is /sys/bus/event_source/devices/uncore_iio_N/dieM (since 5.14; see the
// kernel's Documentation/ABI/testing/sysfs-devices-mapping): "0000:17", the PCI domain and bus in hexadecimal. A unit
// without such a file for a die serves nothing there. Nothing is counted on a die without an online CPU.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct IoPort {
  u32 domain = 0, bus = 0;
  unsigned unit = 0, die = 0;
  int cpu = -1;                 // CPU on which that die's unit is counted
  std::string address() const;  // "0000:17"
  std::string pmu() const;      // "uncore_iio_1"
  bool is_at(u32 other_domain, u32 other_bus) const { return domain == other_domain && bus == other_bus; }
};

// Returns the ports sorted by unit, then die. Errors: Unsupported, the PMU or the kernel's mapping is missing;
// Malformed, a file does not contain an address.
Result<std::vector<IoPort>> read_io_ports(const Root& root);

// Parses "17:3a" or "0000:3a" into a port with domain and bus only. Errors: Malformed.
Result<IoPort> parse_io_port(std::string_view text);

}  // namespace peregrine
