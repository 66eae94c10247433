#include "base/number/digits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace peregrine {
namespace {

std::string decimal(u64 value) {
  char text[kDigitSlack + 8];
  return {text, write_decimal(text, value)};
}

std::string hex(u64 value) {
  char text[kDigitSlack + 8];
  return {text, write_hex(text, value)};
}

// Numbers around each power of two and of ten, and half-way between.
std::vector<u64> edges() {
  std::vector<u64> values = {0, ~u64{0}, 0x0123456789abcdef, 0xfedcba9876543210};
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const u64 change : {-2, -1, 0, 1}) values.push_back((u64{1} << bit) + change);
  u64 power = 1;
  for (int i = 0; i < 20; ++i, power *= 10)
    for (const u64 value : {power - 1, power, power + 1, power * 5, power * 9}) values.push_back(value);
  return values;
}

TEST(Digits, AreThoseOfAnyOtherWay) {
  for (const u64 value : edges()) {
    EXPECT_EQ(decimal(value), fmt::format("{}", value));
    EXPECT_EQ(hex(value), fmt::format("{:x}", value));
    EXPECT_EQ(decimal_digits(value), fmt::format("{}", value).size());
    EXPECT_EQ(hex_digits(value), fmt::format("{:x}", value).size());
  }
  for (u64 value = 0; value < 10000; ++value) EXPECT_EQ(decimal(value * 10001), fmt::format("{}", value * 10001));
}

TEST(Digits, WriteNoFurtherThanTheySay) {
  for (const u64 value : edges()) {
    std::string text(kDigitSlack + 1, '!');
    write_decimal(text.data(), value);
    EXPECT_EQ(text.back(), '!');
    text.assign(kDigitSlack + 1, '!');
    write_hex(text.data(), value);
    EXPECT_EQ(text.back(), '!');
  }
}

}  // namespace
}  // namespace peregrine
