// IoPort: a PCI root port as the I/O units of Intel's servers count it: which unit (PMU uncore_iio_N) on which die
// serves the port's root bus. The kernel says so in /sys/bus/event_source/devices/uncore_iio_N/dieM (since 5.14; see
// its Documentation/ABI/testing/sysfs-devices-mapping): "0000:17", the PCI domain and bus in hexadecimal. A unit
// without such a file on a die serves nothing there, and nothing is counted on a die without a CPU online.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct IoPort {
  u32 domain = 0, bus = 0;
  unsigned unit = 0, die = 0;
  int cpu = -1;                 // where the unit of that die is counted
  std::string address() const;  // "0000:17"
  std::string pmu() const;      // "uncore_iio_1"
  bool is_at(u32 other_domain, u32 other_bus) const { return domain == other_domain && bus == other_bus; }
};

// By unit, then die. Errors: Unsupported, there is no such PMU or the kernel does not say what they serve;
// Malformed, what it says is no address, with the file.
Result<std::vector<IoPort>> read_io_ports(const Root& root);

// "17:3a", "0000:3a" → a port with domain and bus only. Errors: Malformed.
Result<IoPort> parse_io_port(std::string_view text);

}  // namespace peregrine
