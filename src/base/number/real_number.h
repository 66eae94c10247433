// Parses finite numbers with a fraction: those that a user types, "0.5", "5e-1", "12.5%", and those followed by a
// unit.
//
// Rejects nan and infinity: comparisons with nan are always false, and a unit such as "nanoseconds" may begin like
// one. Pure.
#pragma once
#include <optional>
#include <string_view>

namespace peregrine {

// Takes a number from the start of `text`: "1e-9GHz" leaves "GHz". If there is none, `text` stays unchanged.
std::optional<double> take_finite(std::string_view& text);

// Returns nothing if `text` is not a number or is negative, because no quantity that users type is negative.
std::optional<double> parse_real(std::string_view text);

// Same, with an optional percent sign: "0.5" and "0.5%" are 0.5.
std::optional<double> parse_percent(std::string_view text);

}  // namespace peregrine
