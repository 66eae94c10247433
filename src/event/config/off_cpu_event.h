// The event for off-CPU samples (`record --off-cpu`): a BPF output event with linux-perf's name.
#pragma once
#include <string_view>

#include "event/spec.h"

namespace peregrine {

inline constexpr std::string_view kOffCpuName = "offcpu-time";

void add_off_cpu_event(EventList& list);
bool is_off_cpu_event(const EventSpec& spec);
// Call after configure_for_record: keeps only the fields such samples can have.
void settle_off_cpu_event(EventSpec& spec);

}  // namespace peregrine
