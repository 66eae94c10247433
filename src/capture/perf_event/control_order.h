// Executes --control commands on open events, and returns the text that reports it.
#pragma once
#include <string>

#include "base/result.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/control_channel.h"
#include "event/spec.h"

namespace peregrine {

// Executes enable, disable and evlist; the owner handles the others. Returns the text to print, or "". A command that
// cannot be executed is reported and has no other effect. Errors: the kernel's.
Result<std::string> carry_out(const ControlCommand& command, const EventList& events, EventMatrix& matrix);

}  // namespace peregrine
