// Breakpoints on symbols of programs ("mem:counter/8:w"): which address a name has in a running process.
//
// The -e grammar leaves such an event at the kernel's symbol of that name, or at 0. For processes that run, the address
// is found before events are opened. A workload's is known when it has been exec'd and has not run yet: until then the
// event is open at an address that nothing uses, and is moved (Workload::release_held, move_breakpoints).
#pragma once
#include <span>

#include "base/result.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/target/target.h"
#include "event/spec.h"

namespace peregrine {

bool has_named_breakpoint(const EventList& events);

// Changes the events' addresses to those in these processes or threads, whose programs and libraries win over the
// kernel. Errors: NotFound, a symbol that neither they nor the kernel have; Usage, one that has several addresses.
Result<> place_breakpoints(const Root& root, std::span<const Pid> processes, EventList& events);

// The same before events are opened on that target; those on a workload are left for later.
Result<> place_breakpoints(const Root& root, const Target& target, EventList& events);

// After the exec of a workload: the same in it, and its open breakpoints with them.
Result<> move_breakpoints(const Root& root, Pid workload, const EventMatrix& matrix, EventList& events);

}  // namespace peregrine
