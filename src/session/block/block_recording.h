// The arguments of `record` for block I/O: the tracepoints of block_event.h that this kernel has, with filters.
#pragma once
#include "session/block/block_choice.h"
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "sys/root.h"

namespace peregrine {

// `chains`: with call chains. Errors: Usage, the choice excludes all events.
Result<TracepointRecording> block_recording(const BlockChoice& choice, bool chains, const Root& root = Root());

}  // namespace peregrine
