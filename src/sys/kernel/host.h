// Host: the name, kernel and architecture of this machine (header features HOSTNAME, OSRELEASE, ARCH, …).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct Host {
  std::string hostname;
  std::string release;  // "6.1.0-13-amd64"
  std::string machine;  // "x86_64"
  u32 online_cpus = 0;
  u32 available_cpus = 0;  // present CPUs, online or not
};
// Live: uname(2) and sysconf(3). With a test's root: /proc/sys/kernel/{hostname,osrelease,arch}.
Host read_host(const Root& root);

// Returns the kernel's build-id from /sys/kernel/notes (usually 20 bytes); empty if unreadable.
std::vector<std::byte> kernel_build_id(const Root& root);
// Returns the build-id of a loaded module from /sys/module/NAME/notes, or an empty vector.
std::vector<std::byte> module_build_id(const Root& root, std::string_view name);

// Returns clock_getres(CLOCKID) in ns, for the header feature CLOCKID, or nullopt if the clock does not exist.
std::optional<u64> clock_resolution(int clockid);
// CLOCK_REALTIME and `clockid`, read back to back, in ns, for the header feature CLOCK_DATA.
struct ClockReading {
  u64 wall_ns = 0, clock_ns = 0;
};
std::optional<ClockReading> read_clocks(int clockid);

}  // namespace peregrine
