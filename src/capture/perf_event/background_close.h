// close_in_background: gives descriptors to a process of their own that closes them. Closing a perf_event of a
// tracepoint takes 39 ms in the kernel (it waits until no CPU can be inside), which nobody needs to wait for.
#pragma once
#include <vector>

#include "base/fd.h"

namespace peregrine {

// The process is no child of ours, has no other descriptor open, and ends when it is done. Where it cannot be made the
// descriptors are closed here.
void close_in_background(std::vector<Fd> descriptors);

}  // namespace peregrine
