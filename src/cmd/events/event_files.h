// Where a user's own event and metric definitions are: JSON files in the format of linux-perf's pmu-events.
#pragma once
#include <string>
#include <vector>

#include "cli/frame/config.h"

namespace peregrine::cmd {

// Paths of the files, in the order in which they are read. PEREGRINE_EVENTS lists files and folders, separated by
// colons; without it the folder is $XDG_CONFIG_HOME/peregrine/events, or ~/.config/peregrine/events. Of a folder, its
// *.json files by name.
std::vector<std::string> event_files(const Config& config);

}  // namespace peregrine::cmd
