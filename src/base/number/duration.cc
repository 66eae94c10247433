#include "base/number/duration.h"

#include <charconv>

namespace peregrine {

std::optional<u64> nanoseconds_of(std::string_view text, bool bare) {
  struct Unit {
    std::string_view word;
    u64 nanoseconds;
  };
  constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view word = text.substr(static_cast<std::size_t>(end - text.data()));
  if (word.empty() && bare) return value;
  for (const Unit& unit : kUnits)
    if (word == unit.word && value <= ~u64{0} / unit.nanoseconds) return value * unit.nanoseconds;
  return std::nullopt;
}

}  // namespace peregrine
