// recorded_tracing_data(): what a recording stores of tracefs, as bytes.
#pragma once
#include <cstddef>
#include <vector>

#include "data/reader/reader.h"

namespace peregrine {

// Empty if the recording has none; in a pipe, not yet.
std::vector<std::byte> recorded_tracing_data(const data::Reader& reader);

}  // namespace peregrine
