// Block I/O as blktrace's binary streams: BASE.blktrace.0, .1, …, one per CPU, for blkparse and btt. Main thread only.
#pragma once
#include <string>

#include "base/result.h"
#include "session/block/block_session.h"
#include "session/session_listener.h"

namespace peregrine {

// Errors: as read_block_events() and OutputFile. A failure leaves no files, except that those which already have their
// names stay if the next one cannot get its own.
Result<> write_blktrace(BlockInput& input, const BlockChoice& choice, const std::string& base,
                        SessionListener& listener);

}  // namespace peregrine
