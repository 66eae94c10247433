// The event whose samples are times off the CPU (`record --off-cpu`): a BPF output event under the name by which
// linux-perf knows it.
#pragma once
#include "event/spec.h"

namespace peregrine {

inline constexpr std::string_view kOffCpuName = "offcpu-time";

void add_off_cpu_event(EventList& list);
bool is_off_cpu_event(const EventSpec& spec);
// After configure_for_record: leaves what such a sample can hold.
void settle_off_cpu_event(EventSpec& spec);

}  // namespace peregrine
