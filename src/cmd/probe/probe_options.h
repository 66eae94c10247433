// The command probe: its function, and what it shares with record, which adds probes for one recording.
#pragma once
#include "base/result.h"
#include "cli/frame/command.h"
#include "session/probe/probe_request.h"

namespace peregrine::cmd {

// Performs the request; returns the exit code.
Result<int> run_probe(ProbeRequest& request, Invocation& call);

// Where to find files, and this program's name in messages.
ProbeHome probe_home(const Invocation& call);

}  // namespace peregrine::cmd
