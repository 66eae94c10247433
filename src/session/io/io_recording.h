// The arguments of `record` for io: system calls that read and write files, the page cache, writeback and block
// requests of all CPUs, and names of files.
#pragma once
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "sys/root.h"

namespace peregrine {

// All CPUs, because requests complete in any context. Errors: Unsupported, this kernel cannot record system calls.
Result<TracepointRecording> io_recording(const Root& root = Root());

}  // namespace peregrine
