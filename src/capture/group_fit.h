// Whether events can all count at the same time: asked of the kernel, which refuses a group that no set of counters can
// hold. Opens the events for a moment, switched off, on this thread (those of other PMUs on their CPU).
#pragma once
#include "event/spec.h"

namespace peregrine {

// Events that need no hardware counter always fit. The kernel does not subtract what others hold (the NMI watchdog, a
// guest), so what fits may still be multiplexed. An event that cannot be opened at all does not count against the rest.
bool fits_together(const EventList& events);

}  // namespace peregrine
