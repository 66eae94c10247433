// Merges what is one event for the user and several for the kernel: the same event on several PMUs of one kind (a
// server's memory controllers, a hybrid machine's cores). Pure.
#pragma once
#include <cstddef>
#include <vector>

#include "event/spec.h"

namespace peregrine {

// By event: the events whose counts it shows, itself first; empty if another event shows its counts. Merges events with
// equal name, unit, scale and cgroup on different PMUs.
std::vector<std::vector<std::size_t>> merged_events(const EventList& events);

// --no-merge: adds the PMU to each name: "uncore_imc_0/cas_count_read/", "cas_count_read [uncore_imc_0]".
void name_by_pmu(EventList& events);
// --hybrid-merge: removes core PMUs from names: "cpu_core/cycles/" and "cpu_atom/cycles/" become "cycles".
void name_without_core(EventList& events);

}  // namespace peregrine
