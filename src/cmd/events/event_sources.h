// Sources of event names other than this system: PERF_CPUID, and the files of session/events/event_files.h.
#pragma once
#include <string>

#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "event/source.h"

namespace peregrine::cmd {

// With names of the running kernel's enums for filters.
void configure_sources(const Config& config, EventSources& sources);

// Errors in those files, if any of them was read.
void tell_problems(const EventSources& sources, Messages& messages);

// PERF_TEST_ATTR: where OpenLog writes a file for each event that is opened; empty if unset.
std::string open_log_folder(const Config& config);

}  // namespace peregrine::cmd
