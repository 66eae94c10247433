// Unpacks a recording that gzip, xz, zstd or bzip2 compressed: perf.data.gz.
//
// Readers seek in a recording, so it is unpacked to an unnamed file in a private temporary folder, within an
// UnpackBudget. The file disappears when its descriptor is closed.
#pragma once
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "pipeline/bundle/unpack_budget.h"

namespace peregrine {

// Returns nothing if `file` is not compressed. `name` is for errors: Malformed if it is damaged or truncated; those of
// the budget.
Result<std::optional<Fd>> unpack_recording(const Fd& file, const std::string& name, const std::string& temporary,
                                           UnpackBudget& budget);

}  // namespace peregrine
