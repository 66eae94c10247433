// What is one event to the user and several to the kernel: the same event of several PMUs of one kind (the memory
// controllers of a server, the kinds of core of a hybrid machine). Pure.
#pragma once
#include <vector>

#include "event/spec.h"

namespace peregrine {

// By event: those whose counts are shown as its own, itself first; none when it is shown by another. Merged are events
// of one name, unit, scale and control group, of different PMUs.
std::vector<std::vector<std::size_t>> merged_events(const EventList& events);

// --no-merge: each gets the name of its PMU: "uncore_imc_0/cas_count_read/", "cas_count_read [uncore_imc_0]".
void name_by_pmu(EventList& events);
// --hybrid-merge: events of cores lose it: "cpu_core/cycles/" and "cpu_atom/cycles/" are "cycles".
void name_without_core(EventList& events);

}  // namespace peregrine
