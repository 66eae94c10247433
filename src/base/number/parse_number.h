// Parses numbers in text, for all parsers of arguments, lines and options.
//
// A number consists of digits, and for signed types an optional leading '-'; no '+', blanks or separators. Floating
// point also takes a fraction, an exponent, "nan" and "inf" (real_number.h rejects these for options). Returns nothing
// if there is no number, if it does not fit the type, or, when parsing a whole text, if other text follows. Pure.
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/types.h"

namespace peregrine {

// Takes a number from the start of `text`. If there is none, `text` stays unchanged.
template <std::integral T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

template <std::floating_point T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Returns the number at the start of `text`, whatever follows.
template <class T>
std::optional<T> leading_number(std::string_view text) {
  return take_number<T>(text);
}

// Parses a whole text as a number without prefix.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  const auto value = take_number<T>(text, base);
  return text.empty() ? value : std::nullopt;
}
template <std::floating_point T>
std::optional<T> parse_number(std::string_view text) {
  const auto value = take_number<T>(text);
  return text.empty() ? value : std::nullopt;
}

// Parses decimal, or hexadecimal after 0x or 0X.
template <std::integral T>
std::optional<T> parse_prefixed_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  return hex ? parse_number<T>(text.substr(2), 16) : parse_number<T>(text);
}

inline std::optional<u64> to_number(std::string_view text) { return parse_prefixed_number<u64>(text); }

// Same, with octal after 0, as in C.
template <std::integral T>
std::optional<T> parse_c_number(std::string_view text) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] != 'x' && text[1] != 'X';
  return octal ? parse_number<T>(text, 8) : parse_prefixed_number<T>(text);
}

}  // namespace peregrine
