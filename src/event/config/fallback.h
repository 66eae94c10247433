// What to try next when the kernel refuses an event: one step of linux-perf's fallbacks, as a pure function.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

struct Fallback {
  std::string warning;  // shown to the user; "" if the step is silent
};

// Changes `spec` for another try after perf_event_open(2) failed with `error_number`; nullopt if nothing is left to
// try. Steps: deferred callchains become ordinary ones (EINVAL) · precise_ip of a precise_max event is decremented ·
// cycles → cpu-clock (ENOENT, ENXIO, ENODEV), keeping modifiers · the kernel is excluded (":u") if perf_event_paranoid
// > 1 denies it (EACCES, EPERM), unless the event could then never have a sample.
std::optional<Fallback> fall_back(EventSpec& spec, int error_number, int paranoid);

// Restores precise_ip after it was lowered, before a try that changes something else.
void restore_precision(EventSpec& spec);

// Why the event could not be opened and what to do about it; ends the command.
Error explain_open_failure(const EventSpec& spec, int error_number, int paranoid);
// The same for an event that this process may open on itself, but not on `thread`. No setting changes that: the kernel
// requires permission to ptrace(2) the thread, or CAP_PERFMON.
Error explain_refused_thread(const EventSpec& spec, int error_number, i32 thread);

}  // namespace peregrine
