// Merges events that are one event to the user but several to the kernel: the same event on several PMUs of one kind (a
// server's memory controllers, a hybrid machine's cores). Pure.
#pragma once
#include <cstddef>
#include <vector>

#include "event/spec.h"

namespace peregrine {

// By event: the events that its row sums, starting with itself; empty if another event's row includes it. Merges events
// with equal name, unit, scale and cgroup on different PMUs.
std::vector<std::vector<std::size_t>> merged_events(const EventList& events);

// --no-merge: adds the PMU to each name: "uncore_imc_0/cas_count_read/", "cas_count_read [uncore_imc_0]".
void name_by_pmu(EventList& events);
// --hybrid-merge: removes core PMUs from names: "cpu_core/cycles/" and "cpu_atom/cycles/" become "cycles".
void name_without_core(EventList& events);

}  // namespace peregrine
