// Collects the header features that describe the machine and the command line.
//
// Reads a few dozen small files on each call. The only place that converts `sys` values to `data` values.
#pragma once
#include <string>
#include <vector>

#include "data/feature/features.h"
#include "event/spec.h"
#include "sys/root.h"

namespace peregrine {

struct HostFeatureRequest {
  std::string version;                    // "6.18.0"
  std::vector<std::string> command_line;  // argv of the whole program
  std::optional<int> clockid;             // -k
  bool samples = false;                   // samples have times, by that clock or the kernel's
};

// Sets everything except events, ids, build-ids, sample times and compression.
void gather_host_features(const Root& root, const HostFeatureRequest& request, data::Features& features);

}  // namespace peregrine
