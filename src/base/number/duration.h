// Durations as people write them: "10ms".
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// A whole number with ns, us, ms or s, in nanoseconds; `bare`: also without a unit. Nothing for other texts, and for
// durations that 64 bits do not hold.
std::optional<u64> nanoseconds_of(std::string_view text, bool bare = false);

}  // namespace peregrine
