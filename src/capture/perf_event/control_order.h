// What --control commands do to open events, and what is reported of it on stderr.
#pragma once
#include "capture/perf_event/event_matrix.h"
#include "capture/target/control_channel.h"

namespace peregrine {

// Carries out enable, disable and evlist; the others are their owner's. The text to say, empty for nothing: a command
// that cannot be carried out is said, and ends nothing. Errors: the kernel's.
Result<std::string> carry_out(const ControlCommand& command, const EventList& events, EventMatrix& matrix);

}  // namespace peregrine
