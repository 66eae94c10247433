// digits: writes numbers as text to memory, with arithmetic instead of a loop with a branch per digit. In a trace, the
// lengths of numbers vary from line to line, and a mispredicted branch costs more than the digits.
//
// Always writes up to kDigitSlack bytes at `to`. Returns the end of the digits.
#pragma once
#include <array>
#include <bit>
#include <cstring>

#include "base/types.h"

namespace peregrine {

constexpr std::size_t kDigitSlack = 24;

constexpr unsigned hex_digits(u64 value) { return (static_cast<unsigned>(std::bit_width(value | 1)) + 3) / 4; }

constexpr unsigned decimal_digits(u64 value) {
  constexpr auto kPowers = [] {
    std::array<u64, 20> powers{};
    for (u64 power = 1; u64 & one : powers) {
      one = power;
      power *= 10;
    }
    return powers;
  }();
  // log10 is log2 × 1233/4096, or one less.
  const unsigned guess = static_cast<unsigned>(std::bit_width(value | 1)) * 1233 >> 12;
  return guess + (value >= kPowers[guess] ? 1u : 0u) + (value == 0 ? 1u : 0u);
}

namespace digits {

// Writes eight characters; the first one is in the lowest byte.
inline void write_eight(char* to, u64 characters) {
  if constexpr (std::endian::native == std::endian::big) characters = __builtin_bswap64(characters);
  std::memcpy(to, &characters, sizeof characters);
}

// Converts 32 bits to hexadecimal characters.
constexpr u64 hex_characters(u32 value) {
  u64 nibbles = value;  // one per byte, the last digit in the lowest byte
  nibbles = (nibbles << 16 | nibbles) & 0x0000ffff0000ffff;
  nibbles = (nibbles << 8 | nibbles) & 0x00ff00ff00ff00ff;
  nibbles = (nibbles << 4 | nibbles) & 0x0f0f0f0f0f0f0f0f;
  const u64 letters = (nibbles + 0x0606060606060606) >> 4 & 0x0101010101010101;
  return __builtin_bswap64(nibbles + 0x3030303030303030 + letters * ('a' - '0' - 10));
}

// Converts a number below 10^8 to eight decimal characters. Halves, quarters and digits are divided in parallel.
constexpr u64 decimal_characters(u32 value) {
  const u64 fours = u64{value / 10000} | u64{value % 10000} << 32;
  const u64 hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
  const u64 twos = hundreds | (fours - hundreds * 100) << 16;
  const u64 tens = (twos * 103 >> 10) & 0x000f000f000f000f;
  return (tens | (twos - tens * 10) << 8) + 0x3030303030303030;
}

}  // namespace digits

// Writes the last `count` hexadecimal digits.
inline char* write_hex(char* to, u64 value, unsigned count) {
  const u64 first = value << (64 - 4 * count);
  digits::write_eight(to, digits::hex_characters(static_cast<u32>(first >> 32)));
  digits::write_eight(to + 8, digits::hex_characters(static_cast<u32>(first)));
  return to + count;
}
inline char* write_hex(char* to, u64 value) { return write_hex(to, value, hex_digits(value)); }

// `count` must be decimal_digits(value).
inline char* write_decimal(char* to, u64 value, unsigned count) {
  constexpr u64 kEight = 100'000'000;
  char* const end = to + count;
  if (value < kEight) {
    digits::write_eight(to, digits::decimal_characters(static_cast<u32>(value)) >> (64 - 8 * count));
    return end;
  }
  char* at = end;
  for (; value >= kEight; value /= kEight)
    digits::write_eight(at -= 8, digits::decimal_characters(static_cast<u32>(value % kEight)));
  const auto left = static_cast<unsigned>(at - to);
  const u64 characters = digits::decimal_characters(static_cast<u32>(value)) >> (64 - 8 * left);
  for (unsigned i = 0; i < left; ++i) to[i] = static_cast<char>(characters >> 8 * i & 0xff);
  return end;
}
inline char* write_decimal(char* to, u64 value) { return write_decimal(to, value, decimal_digits(value)); }

}  // namespace peregrine
