// DRM clients: the usage that a graphics driver reports for each open file, in /proc/PID/fdinfo/FD:
//
//   drm-driver: i915
//   drm-client-id: 15
//   drm-engine-render: 25662044495 ns
//   drm-resident-system0: 1048576 KiB
//
// linux-perf (6.16) treats a driver as a PMU "drm_i915" whose events are those keys. A file that several descriptors or
// processes share has one client id and counts once. The drivers write the files: they are untrusted input.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sys/hardware/sensor.h"
#include "sys/process/process.h"

namespace peregrine {

// What a key says, by how it begins.
struct DrmKind {
  std::string_view prefix, what, unit;
  bool grows = false;  // counts since the file was opened; the others say what is now
};
const DrmKind* find_drm_kind(std::string_view key);

struct DrmClient {
  std::string driver;
  std::vector<std::pair<std::string, u64>> values;  // by key, in bytes, Hz, ns or as they are
};

// Of these processes; of all when none is named.
std::vector<DrmClient> read_drm_clients(const Root& root, std::span<const Pid> processes);

// The keys that clients have at this moment, as sensors whose path is the key. By driver and key.
std::vector<Sensor> drm_sensors(const Root& root);

}  // namespace peregrine
