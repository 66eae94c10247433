// close_in_background: hands descriptors to a separate process that closes them. Closing a perf_event of a tracepoint
// takes 39 ms (the kernel waits until no CPU can be inside it); nobody needs to wait for that.
#pragma once
#include <vector>

#include "base/fd.h"

namespace peregrine {

// The process is not our child, has no other descriptors open, and exits when done. If it cannot be created, the
// descriptors are closed here.
void close_in_background(std::vector<Fd> descriptors);

}  // namespace peregrine
