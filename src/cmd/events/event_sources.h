// Sources of event names other than this system: PERF_CPUID, and the files in session/events/event_files.h.
#pragma once
#include <string>

#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "event/source.h"

namespace peregrine::cmd {

// Includes names of the running kernel's enums, for filters.
void configure_sources(const Config& config, EventSources& sources);

// Errors in those files, if any were read.
void tell_problems(const EventSources& sources, Messages& messages);

// PERF_TEST_ATTR: folder where OpenLog writes a file for each opened event; empty if unset.
std::string open_log_folder(const Config& config);

}  // namespace peregrine::cmd
