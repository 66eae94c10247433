// Whole numbers with a unit: "10M", "3ms", "800 MHz". Each grammar has its own table of units.
//
//   constexpr NumberUnit kUnits[] = {{"ms", 1'000'000}, {"s", 1'000'000'000}};
//   parse_with_unit("3ms", kUnits)      3'000'000
//   parse_with_unit("3", kUnits)        nothing; a row {"", 1} would allow it
//
// Pure.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {

struct NumberUnit {
  std::string_view word;
  u64 factor = 1;  // not 0
};

// Returns value × the unit's factor; nothing if the unit is unknown or the product exceeds `most`.
constexpr std::optional<u64> in_unit(u64 value, std::string_view word, std::span<const NumberUnit> units,
                                     u64 most = ~u64{0}) {
  for (const NumberUnit& unit : units)
    if (word == unit.word) return value <= most / unit.factor ? std::optional(value * unit.factor) : std::nullopt;
  return std::nullopt;
}

// Parses a number that is followed immediately by its unit.
inline std::optional<u64> parse_with_unit(std::string_view text, std::span<const NumberUnit> units,
                                          u64 most = ~u64{0}) {
  const auto value = take_number<u64>(text);
  return value ? in_unit(*value, text, units, most) : std::nullopt;
}

}  // namespace peregrine
