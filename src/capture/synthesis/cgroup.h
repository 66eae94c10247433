// CGROUP records for all existing cgroups, for samples with a cgroup id (--all-cgroups).
//
// The id is the inode of the cgroup's folder; the path is relative to the cgroup mount. Writes nothing if no cgroup
// file system is mounted.
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "sys/root.h"

namespace peregrine {

void synthesize_cgroups(const Root& root, std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
