// trace_functions(): runs one of the kernel's function tracers while a command runs, or until a signal arrives, and
// prints its text or the call durations.
//
//   TracerSession ──text of trace_pipe──▶ FtraceReader ──lines, histogram or table──▶ Sink
//
// The kernel's settings are restored at the end. One thread.
#pragma once
#include "base/result.h"
#include "output/sink.h"
#include "session/ftrace/ftrace_request.h"
#include "session/session_listener.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

// Errors: as tracer_plan(); the command or the tracer cannot be started; Usage, an unknown sort order of Profile.
Result<> trace_functions(FtraceRequest request, const Tracefs& tracefs, SessionListener& listener, Sink& out);

}  // namespace peregrine
