// A recording in a file that gzip, xz, zstd or bzip2 has packed: perf.data.gz.
//
// Readers jump about in a recording, so it is unpacked into a file without a name, in a private temporary folder,
// within an UnpackBudget. It goes when its descriptor is closed.
#pragma once
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "pipeline/bundle/unpack_budget.h"

namespace peregrine {

// Nothing where `file` is not packed. `name` of the file, for errors: Malformed, damaged or cut off; those of the
// budget.
Result<std::optional<Fd>> unpack_recording(const Fd& file, const std::string& name, const std::string& temporary,
                                           const UnpackLimits& limits = {});

}  // namespace peregrine
