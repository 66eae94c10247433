// Reads integers from text, for all parsers of words, lines and options.
//
// A number has digits, and for signed types a '-' before them; no '+', blanks or separators. Nothing is returned where
// there is no such number, where it does not fit the type, and, for whole texts, where other text follows. Pure.
#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// The number at the beginning of `text`, which is removed; without one, `text` stays as it is.
template <std::integral T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// A whole text as a number, without prefix.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  const auto value = take_number<T>(text, base);
  return text.empty() ? value : std::nullopt;
}

// Decimal, or hexadecimal after 0x or 0X.
template <std::integral T>
std::optional<T> parse_prefixed_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  return hex ? parse_number<T>(text.substr(2), 16) : parse_number<T>(text);
}

// The same, and octal after 0, as C has it.
template <std::integral T>
std::optional<T> parse_c_number(std::string_view text) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] != 'x' && text[1] != 'X';
  return octal ? parse_number<T>(text, 8) : parse_prefixed_number<T>(text);
}

}  // namespace peregrine
