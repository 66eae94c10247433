#include "base/number/real_number.h"

#include <charconv>
#include <cmath>

namespace peregrine {

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return parse_real(text);
}

}  // namespace peregrine
