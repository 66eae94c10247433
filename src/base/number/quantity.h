// Parses quantities of the command line: "10M" is a size in bytes, "30s" a duration.
//
// A whole number and exactly one unit letter, as linux-perf spells them: B K M G (powers of 1024), s m h d. Pure.
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// Empty: no such quantity, zero, or more than fits.
std::optional<u64> parse_bytes(std::string_view text);
std::optional<std::chrono::seconds> parse_seconds(std::string_view text);

}  // namespace peregrine
