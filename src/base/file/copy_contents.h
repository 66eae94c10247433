// copy_contents: copies one open file into another, by the cheapest method that both file systems support.
//
// It copies the open file, even if the path has changed. Where extents can be shared (btrfs, xfs) it costs nothing
// until either file is written to; elsewhere the kernel copies.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// The first `size` bytes of `from` become all of `to`, which is empty and open for writing at its start. Malformed when
// `from` is shorter; `what` is for errors.
Result<> copy_contents(int from, int to, u64 size, std::string_view what);

}  // namespace peregrine
