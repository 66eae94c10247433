// The locations of a user's event and metric definitions: JSON files in the format of linux-perf's pmu-events.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct EventFilePlaces {
  std::optional<std::string> listed = {};  // colon-separated files and folders; replaces `folder`, even if empty
  std::string folder = {};                 // the user's folder, which may not exist; empty: no folder
};

// Paths of the files in reading order. For a folder, its *.json files by name. Listed files need not exist; reading
// them reports the mistake.
std::vector<std::string> find_event_files(const EventFilePlaces& places, const Root& root);

}  // namespace peregrine
