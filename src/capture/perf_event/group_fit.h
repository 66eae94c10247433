// Whether events can all count at the same time: asked of the kernel, which refuses a group that no set of counters can
// hold. Opens the events for a moment, switched off, on this thread (those of other PMUs on their CPU).
#pragma once
#include <functional>
#include <string>

#include "event/spec.h"

namespace peregrine {

// Events that need no hardware counter always fit. The kernel does not subtract what others hold (the NMI watchdog, a
// guest), so what fits may still be multiplexed. An event that cannot be opened at all does not count against the rest.
bool fits_together(const EventList& events);

// What to write instead of the group of `leader`, some members of which the kernel refused; "" when it fits.
std::string group_advice(const EventList& events, std::size_t leader,
                         const std::function<bool(const EventList&)>& fits = fits_together);

}  // namespace peregrine
