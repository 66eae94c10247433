// ring_held_until: the time up to which rings of hits are known to be complete.
#pragma once
#include "base/types.h"

namespace peregrine {

// The time of CLOCK_MONOTONIC up to which they hold every record: that of a younger one may still be being written.
// `last`: nobody writes any more.
u64 ring_held_until(bool last);

}  // namespace peregrine
