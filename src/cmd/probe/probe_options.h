// The command probe: its function, and what it shares with record, which adds probes for the time of a recording.
#pragma once
#include "base/result.h"
#include "cli/frame/command.h"
#include "session/probe/probe_request.h"

namespace peregrine::cmd {

// Does what the request says; the exit code.
Result<int> run_probe(ProbeRequest& request, Invocation& call);

// Where files are looked for, and the name of this program in messages.
ProbeHome probe_home(const Invocation& call);

}  // namespace peregrine::cmd
