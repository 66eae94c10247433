// ring_held_until: the time up to which hit rings are known to be complete.
#pragma once
#include "base/types.h"

namespace peregrine {

// The CLOCK_MONOTONIC time up to which they contain every record; younger ones may still be being written. `last`:
// nobody writes any more.
u64 ring_held_until(bool last);

}  // namespace peregrine
