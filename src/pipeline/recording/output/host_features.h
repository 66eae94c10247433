// The feature values that describe the machine and the command line, gathered from sys for the header of a recording.
//
// Everything is read live at the call: a few dozen small files. `sys` values become `data` values here and nowhere
// else.
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
  bool samples = false;                   // have times, of that clock or of the kernel's own
};

// Fills everything but events, ids, build-ids, sample times and compression.
void gather_host_features(const Root& root, const HostFeatureRequest& request, data::Features& features);

}  // namespace peregrine
