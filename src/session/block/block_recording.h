// The arguments of `record` for block I/O: the tracepoints of block_event.h that this kernel has, with filters.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/block/block_choice.h"
#include "session/recording/tracepoint/recordable_tracepoints.h"
#include "session/recording/tracepoint/tracepoint_recording.h"
#include "sys/root.h"

namespace peregrine {

struct FilteredBlockTracepoint {
  std::string_view name;  // without "block:"
  std::string filter;     // of the kernel; empty: none
};
// Errors: Usage, the choice excludes all events.
Result<std::vector<FilteredBlockTracepoint>> filtered_block_tracepoints(const BlockChoice& choice,
                                                                        const RecordableTracepoints& there);

// `chains`: with call chains. Errors: Usage, the choice excludes all events.
Result<TracepointRecording> block_recording(const BlockChoice& choice, bool chains, const Root& root = Root());

}  // namespace peregrine
