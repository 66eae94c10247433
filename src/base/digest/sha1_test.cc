#include "base/digest/sha1.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {
namespace {

std::string hex_sha1(std::string_view text) {
  std::string hex;
  for (const std::byte b : sha1(std::as_bytes(std::span(text)))) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<u8>(b) >> 4];
    hex += kDigits[static_cast<u8>(b) & 15];
  }
  return hex;
}

TEST(Sha1, KnowsTheExamplesOfItsStandard) {
  EXPECT_EQ(hex_sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex_sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex_sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

}  // namespace
}  // namespace peregrine
