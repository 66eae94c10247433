// Parses numbers with a fraction, as a user types them: "0.5", "5e-1", "12.5%".
//
// Accepts only finite numbers of at least 0: no quantity that a user types is negative, and comparisons with nan are
// always false. Pure.
#pragma once
#include <optional>
#include <string_view>

namespace peregrine {

// Returns nothing if `text` is not a number, or the number is negative, nan or infinite.
std::optional<double> parse_real(std::string_view text);

// Same, with an optional percent sign: "0.5" and "0.5%" are 0.5.
std::optional<double> parse_percent(std::string_view text);

}  // namespace peregrine
