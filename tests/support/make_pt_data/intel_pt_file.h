// Writes a Recording as the perf.data file that `perf record -e intel_pt//u` would write: attrs, side-band records, the
// trace.
#pragma once
#include <cstddef>
#include <vector>

#include "support/make_pt_data/side_band.h"

namespace peregrine::support {

std::vector<std::byte> intel_pt_file(const Recording& recording);

}  // namespace peregrine::support
