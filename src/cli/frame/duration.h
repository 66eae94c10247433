// Durations in options: "10ms".
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// A whole number with ns, us, ms or s, in nanoseconds; without a unit only where `bare` allows it. Nothing: none such.
std::optional<u64> nanoseconds_of(std::string_view text, bool bare = false);

}  // namespace peregrine
