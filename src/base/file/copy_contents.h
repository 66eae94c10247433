// copy_contents: copies one open file to another, with the cheapest method that both file systems support.
//
// Copies the open file, even if its path has changed. If extents can be shared (btrfs, xfs), this costs nothing until
// either file is written to; otherwise the kernel copies.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Copies the first `size` bytes of `from` to `to`, which must be empty and open for writing at its start. Malformed:
// `from` is shorter. `what` is used in errors.
Result<> copy_contents(int from, int to, u64 size, std::string_view what);

}  // namespace peregrine
