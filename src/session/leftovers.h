// remove_leftovers(): removes what killed runs of this program left behind in the kernel: probes, tracing instances,
// settings. Called at each start.
#pragma once
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// Undoes what abandoned ownership records describe, and reports what was removed and what could not be removed.
void remove_leftovers(const Root& root, SessionListener& listener);

}  // namespace peregrine
