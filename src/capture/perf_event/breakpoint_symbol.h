// Breakpoints on symbols of programs ("mem:counter/8:w"): resolves the name's address in a running process.
//
// The -e parser sets such an event to the kernel's symbol of that name, or to 0. For running processes the address is
// resolved before events are opened. A workload's is known only between its exec and its first instruction: until then
// the event is open at an unused address, and is then moved (Workload::release_held, move_breakpoints).
#pragma once
#include <span>

#include "base/result.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

bool has_named_breakpoint(const EventList& events);

// Sets the events' addresses to those in these processes or threads; their programs and libraries take precedence over
// the kernel. Errors: NotFound, neither has the symbol; Usage, the symbol has several addresses.
Result<> place_breakpoints(const Root& root, std::span<const Pid> processes, EventList& events);

// The same before events are opened on `target`; skips those on a workload.
Result<> place_breakpoints(const Root& root, const Target& target, EventList& events);

// The same after a workload's exec; also moves its open breakpoints.
Result<> move_breakpoints(const Root& root, Pid workload, const EventMatrix& matrix, EventList& events);

}  // namespace peregrine
