#include "base/number/real_number.h"

#include <cmath>

#include "base/number/parse_number.h"

namespace peregrine {

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return parse_real(text);
}

}  // namespace peregrine
