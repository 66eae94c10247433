// utf8: decodes text that may contain invalid UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

// Returns the size of the first character of `text`, or 0 if it is not valid UTF-8 (overlong, a surrogate, beyond
// U+10FFFF, truncated) or `text` is empty.
constexpr unsigned utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<u8>(text[i]) : u8{0}; };
  const auto follows = [&](std::size_t i, u8 low = 0x80, u8 high = 0xbf) { return byte(i) >= low && byte(i) <= high; };
  if (text.empty()) return 0;
  const u8 first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const u8 low = first == 0xe0 ? 0xa0 : 0x80, high = first == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const u8 low = first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const unsigned length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Returns the code point of a character; `length` is the result of utf8_length().
constexpr u32 utf8_value(std::string_view text, unsigned length) {
  u32 value = static_cast<u8>(text[0]);
  if (length > 1) value &= 0x7fu >> length;
  for (unsigned i = 1; i < length; ++i) value = value << 6 | (static_cast<u8>(text[i]) & 0x3fu);
  return value;
}

// Returns the first 60 bytes of `text`, cut between characters and with "…" if it was longer. For messages.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return std::string(text);
  std::size_t end = kShown;
  while (end > kShown - 4 && (static_cast<u8>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace peregrine
