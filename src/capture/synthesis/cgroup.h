// CGROUP records of every control group that exists, for samples that carry a cgroup id (--all-cgroups).
//
// The id is the inode of the group's folder below the cgroup mount; the path is seen from that mount. Nothing is
// written where no cgroup file system is mounted.
#pragma once
#include "base/bytes.h"
#include "sys/root.h"

namespace peregrine {

void synthesize_cgroups(const Root& root, std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
