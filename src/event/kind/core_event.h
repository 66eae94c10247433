// Core events: what a generic event (cycles, L1-dcache-loads, r3c) is on a machine with several kinds of core, each
// with a PMU of its own. The kernel counts a generic event on one kind only; to count it everywhere takes one event per
// kind.
#pragma once
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

// The upper half of attr.config names the PMU of a generic hardware or cache event (since 5.13).
inline constexpr unsigned kPmuTypeShift = 32;

// Makes a hardware, cache or raw event one of that kind of core. False when the PMU does not say which of its events it
// is; then `spec` is as before.
bool bind_to_core(const Pmu& pmu, EventSpec& spec);

// One event for each kind of core, named "cpu_core/cycles/"; the event alone where there is one kind, or where one kind
// does not have it.
EventList spread_over_cores(EventSources& sources, const EventSpec& spec);

}  // namespace peregrine
