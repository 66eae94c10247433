// What to ask for next when the kernel refuses an event: one step of linux-perf's ladder, as a pure function.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "event/spec.h"

namespace peregrine {

struct Fallback {
  std::string warning;  // what to tell the user, "" when the step is silent
};

// Changes `spec` for another try after perf_event_open(2) failed with `error_number`; nullopt when nothing is left to
// try. Steps: deferred callchains become usual ones (EINVAL) · precise_ip of a precise_max event goes down by one ·
// cycles → cpu-clock (ENOENT, ENXIO, ENODEV), modifiers kept · kernel part dropped (":u") when perf_event_paranoid > 1
// denies it (EACCES, EPERM).
std::optional<Fallback> fall_back(EventSpec& spec, int error_number, int paranoid);

// Undoes what was lowered in precise_ip, for another try that differs in something else.
void restore_precision(EventSpec& spec);

// Why the event could not be opened and what to do, for the error that ends the command.
Error explain_open_failure(const EventSpec& spec, int error_number, int paranoid);

}  // namespace peregrine
