#include "base/number/quantity.h"

#include <limits>

#include "base/number/parse_number.h"

namespace peregrine {
namespace {

// Parses "12x" as 12 × unit_of('x'). A unit of 0 is unknown.
template <class UnitOf>
std::optional<u64> parse_with_unit(std::string_view text, u64 most, const UnitOf& unit_of) {
  const u64 number = take_number<u64>(text).value_or(0);
  if (number == 0 || text.size() != 1) return std::nullopt;
  const u64 unit = unit_of(text.front());
  if (unit == 0 || number > most / unit) return std::nullopt;
  return number * unit;
}

}  // namespace

std::optional<u64> parse_bytes(std::string_view text) {
  return parse_with_unit(text, std::numeric_limits<i64>::max(), [](char letter) -> u64 {
    constexpr std::string_view kUnits = "BKMG";
    const auto at = kUnits.find(letter);
    return at == kUnits.npos ? 0 : u64{1} << (10 * at);
  });
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text) {
  constexpr u64 kYear = 366 * 86400;
  const auto seconds = parse_with_unit(text, kYear, [](char letter) -> u64 {
    switch (letter) {
      case 's':
        return 1;
      case 'm':
        return 60;
      case 'h':
        return 3600;
      case 'd':
        return 86400;
      default:
        return 0;
    }
  });
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(static_cast<i64>(*seconds));
}

}  // namespace peregrine
