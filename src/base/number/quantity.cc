#include "base/number/quantity.h"

#include <limits>

#include "base/number/number_unit.h"

namespace peregrine {

std::optional<u64> parse_bytes(std::string_view text) {
  constexpr NumberUnit kUnits[] = {{"B", 1}, {"K", u64{1} << 10}, {"M", u64{1} << 20}, {"G", u64{1} << 30}};
  const auto bytes = parse_with_unit(text, kUnits, std::numeric_limits<i64>::max());
  return bytes == 0u ? std::nullopt : bytes;
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text) {
  constexpr NumberUnit kUnits[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  constexpr u64 kYear = 366 * 86400;
  const u64 seconds = parse_with_unit(text, kUnits, kYear).value_or(0);
  return seconds == 0 ? std::nullopt : std::optional(std::chrono::seconds(static_cast<i64>(seconds)));
}

}  // namespace peregrine
