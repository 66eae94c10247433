// Collects the header features that describe the recorded machine and the command line: one row per feature of
// data/feature/feature_rows.h with the source Machine; host_features_test.cc verifies this.
//
// Reads a few dozen small files on each call. The only place that converts `sys` values to `data` values.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/feature/feature_rows.h"
#include "data/feature/features.h"
#include "sys/kernel/host.h"
#include "sys/root.h"

namespace peregrine {

struct HostFeatureRequest {
  std::string version;                    // "6.18.0"
  std::vector<std::string> command_line;  // argv of the whole program
  std::optional<int> clockid;             // -k
  bool samples = false;                   // samples have times, by that clock or the kernel's
};

// Data shared by the rows, read once for all of them.
struct HostFacts {
  const Root& root;
  const HostFeatureRequest& request;
  Host host;
  std::vector<data::PmuType> pmus;
};

struct HostFeature {
  data::FeatureId id{};
  // Sets the feature's value, or nothing if the machine does not have it.
  void (*gather)(const HostFacts& facts, data::Features& features) = nullptr;
};
std::span<const HostFeature> host_features();

// Sets everything except what the recording itself determines: events, ids, build-ids, sample times, compression.
void gather_host_features(const Root& root, const HostFeatureRequest& request, data::Features& features,
                          std::span<const HostFeature> rows = host_features());

}  // namespace peregrine
