// Hexadecimal digits for text that is written too often for a format string.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Appends `value` in lower case, with zeros on the left to at least `width` digits (at most 16).
inline void append_hex(std::string& out, u64 value, std::size_t width) {
  std::array<char, 16> digits;
  std::size_t first = digits.size();
  do {
    digits[--first] = kHexDigits[value & 15];
    value >>= 4;
  } while (value != 0);
  while (digits.size() - first < width && first > 0) digits[--first] = '0';
  out.append(digits.data() + first, digits.size() - first);
}

}  // namespace peregrine
