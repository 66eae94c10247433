// copy_contents: the bytes of one open file into another, the cheapest way that both file systems have.
//
// The copy is of the open file, whatever has become of its path. Where extents can be shared (btrfs, xfs) it costs
// nothing until either file is written to; elsewhere the kernel copies.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// The first `size` bytes of `from` become all of `to`, which is empty and open for writing at its start. Malformed when
// `from` is shorter; `what` is for errors.
Result<> copy_contents(int from, int to, u64 size, std::string_view what);

}  // namespace peregrine
