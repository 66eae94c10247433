// recorded_ctf_clock: the clock that a CTF trace declares for the times of a recording.
#pragma once
#include "base/result.h"
#include "data/reader/reader.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

// `wall_clock`: times since 1970 (--tod). Errors: the recording does not relate its clock to wall-clock time
// (NotFound), or its relation is impossible in a trace (Malformed).
Result<CtfClock> recorded_ctf_clock(const data::Reader& reader, bool wall_clock);

}  // namespace peregrine
