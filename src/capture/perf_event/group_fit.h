// Whether events can all count at the same time. Asks the kernel, which refuses a group that exceeds the counters:
// briefly opens the events, disabled, on this thread (those of other PMUs on their CPU).
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "event/spec.h"

namespace peregrine {

// Events without hardware counters always fit. The kernel does not consider counters in use by others (NMI watchdog, a
// guest), so even a fitting group may be multiplexed. Events that cannot be opened at all are ignored.
bool fits_together(const EventList& events);

// What to write instead of the group of `leader`, if the kernel refused some of its members; "" if it fits.
std::string group_advice(const EventList& events, std::size_t leader,
                         const std::function<bool(const EventList&)>& fits = fits_together);

}  // namespace peregrine
