// Core events: generic events (cycles, L1-dcache-loads, r3c) on hybrid machines, where each kind of core has its own
// PMU. The kernel counts a generic event on one kind only; counting everywhere takes one event per kind.
#pragma once
#include "event/source.h"
#include "event/spec.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

// The upper half of attr.config selects the PMU of a generic hardware or cache event (since 5.13).
inline constexpr unsigned kPmuTypeShift = 32;

// Binds a hardware, cache or raw event to that kind of core. Returns false, leaving `spec` unchanged, if the PMU does
// not say which of its events corresponds.
bool bind_to_core(const Pmu& pmu, EventSpec& spec);

// One event per kind of core, named "cpu_core/cycles/"; just the event if there is only one kind, or one kind lacks it.
EventList spread_over_cores(EventSources& sources, const EventSpec& spec);

}  // namespace peregrine
