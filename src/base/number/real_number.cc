#include "base/number/real_number.h"

#include <cmath>

#include "base/number/parse_number.h"

namespace peregrine {

std::optional<double> take_finite(std::string_view& text) {
  std::string_view rest = text;
  const auto value = take_number<double>(rest);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  text = rest;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  const auto value = take_finite(text);
  return text.empty() && value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  return parse_real(text);
}

}  // namespace peregrine
