// DRM clients: the usage that a graphics driver reports for each open file, in /proc/PID/fdinfo/FD:
//
//   drm-driver: i915
//   drm-client-id: 15
//   drm-engine-render: 25662044495 ns
//   drm-resident-system0: 1048576 KiB
//
// linux-perf (6.16) treats a driver as a PMU "drm_i915" with these keys as events. A file shared by several
// descriptors or processes has one client id and counts once. The drivers write these files, so they are untrusted
// input.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "sys/hardware/sensor.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// The meaning of a key, by its prefix.
struct DrmKind {
  std::string_view prefix, what, unit;
  bool grows = false;  // counts since the file was opened; others are current values
};
const DrmKind* find_drm_kind(std::string_view key);

struct DrmClient {
  std::string driver;
  std::vector<std::pair<std::string, u64>> values;  // by key; in bytes, Hz, ns, or without a unit
};

// Reads the clients of these processes, or of all processes if the list is empty.
std::vector<DrmClient> read_drm_clients(const Root& root, std::span<const Pid> processes);

// Returns the present keys of clients, as sensors with the key as path. Sorted by driver and key.
std::vector<Sensor> drm_sensors(const Root& root);

}  // namespace peregrine
