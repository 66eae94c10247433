// Where the names of events come from besides this system: PERF_CPUID, and the user's own files of events and metrics.
#pragma once
#include <string>
#include <vector>

#include "cmd/config.h"
#include "cmd/message.h"
#include "event/source.h"

namespace peregrine::cmd {

// The *.json files of the user: those that PEREGRINE_EVENTS names (files and folders, separated by colons), else those
// of $XDG_CONFIG_HOME/peregrine/events, else of ~/.config/peregrine/events. Sorted within a folder.
std::vector<std::string> event_files(const Config& config);

void configure_sources(const Config& config, EventSources& sources);

// What is wrong in those files, if any of them was read.
void tell_problems(const EventSources& sources, Messages& messages);

}  // namespace peregrine::cmd
