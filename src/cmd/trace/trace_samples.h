// Traces that are made of samples: of a recording (-i), or live, where no system calls are traced or BPF programs do
// not serve (TraceRequest::wants_samples) or may not be loaded.
#pragma once
#include "cmd/trace/trace_options.h"
#include "output/sink.h"

namespace peregrine::cmd {

// -i FILE. The exit code.
Result<int> trace_recording(const TraceOptions& options, Sink& out, bool terminal, Invocation& call);
// The exit code. `target` as chosen; the command stands in the call's words.
Result<int> trace_by_samples(const TraceOptions& options, const Target& target, Sink& out, bool terminal,
                             Invocation& call);
// trace record: `record` with the events that a trace needs.
Result<int> record_trace(const TraceOptions& options, Invocation& call);

}  // namespace peregrine::cmd
