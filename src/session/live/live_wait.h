// What a view that is printed as text waits for: its next look, a key, or the end of the recording.
#pragma once
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class LiveWake : u8 { Timer, Key, Ended };

// `ended`: LiveSession::ended_fd(). `keys`: a terminal that gives each key at once, or -1. Errors: System, poll(2).
Result<LiveWake> wait_live(int ended, int keys, int milliseconds);

}  // namespace peregrine
