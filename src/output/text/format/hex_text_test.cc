#include "output/text/format/hex_text.h"

#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

TEST(HexTextTest, PadsWithZerosAndNeverCutsDigits) {
  const auto hex = [](u64 value, unsigned width) {
    std::string text = ">";
    append_hex(text, value, width);
    return text;
  };
  EXPECT_EQ(hex(0, 0), ">0");
  EXPECT_EQ(hex(0, 4), ">0000");
  EXPECT_EQ(hex(0xabc, 4), ">0abc");
  EXPECT_EQ(hex(0x12345, 4), ">12345");
  EXPECT_EQ(hex(~u64{0}, 16), ">ffffffffffffffff");
  EXPECT_EQ(hex(1, 99), ">0000000000000001");
}

}  // namespace
}  // namespace peregrine
