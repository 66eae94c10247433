// Parses quantities on the command line: "10M" is a size in bytes, "30s" a duration.
//
// A whole number and exactly one unit letter, as in linux-perf: B K M G (powers of 1024), s m h d. Pure.
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// Return nothing if the text is not a quantity, is zero, or does not fit.
std::optional<u64> parse_bytes(std::string_view text);
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

}  // namespace peregrine
