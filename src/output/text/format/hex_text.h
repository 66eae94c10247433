// Hexadecimal digits appended to a string, for text that is written too often to use a format string.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/number/digits.h"
#include "base/types.h"

namespace peregrine {

// Appends `value` in lower case, with zeros on the left to at least `width` digits (at most 16).
inline void append_hex(std::string& out, u64 value, unsigned width) {
  std::array<char, kDigitSlack> digits;
  const char* const end = write_hex(digits.data(), value, std::max(hex_digits(value), std::min(width, 16u)));
  out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace peregrine
