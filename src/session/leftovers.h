// remove_leftovers(): removes what killed runs of this program left in the kernel: probes, tracing instances, settings.
// Called at each start.
#pragma once
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// Undoes what abandoned ownership records describe, and tells what it removed and what it could not remove.
void remove_leftovers(const Root& root, SessionListener& listener);

}  // namespace peregrine
