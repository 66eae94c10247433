// Where a user's own event and metric definitions are: JSON files in the format of linux-perf's pmu-events.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sys/root.h"

namespace peregrine {

struct EventFilePlaces {
  std::optional<std::string> listed = {};  // files and folders, separated by colons; replaces `folder`, even if empty
  std::string folder = {};                 // the user's folder, which may be absent; empty: none
};

// Paths of the files, in the order in which they are read. Of a folder, its *.json files by name. A listed file need
// not exist, so that reading it reports the mistake.
std::vector<std::string> find_event_files(const EventFilePlaces& places, const Root& root);

}  // namespace peregrine
