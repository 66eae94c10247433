// Durations as people write them: "10ms".
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// Parses a whole number with ns, us, ms or s into nanoseconds; `bare`: the unit is optional. Returns nothing for other
// text or a duration that exceeds 64 bits.
std::optional<u64> nanoseconds_of(std::string_view text, bool bare = false);

}  // namespace peregrine
