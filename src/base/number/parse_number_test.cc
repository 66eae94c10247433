#include "base/number/parse_number.h"

#include <gtest/gtest.h>

#include "base/types.h"

namespace peregrine {
namespace {

TEST(ParseNumber, ReadsAWholeText) {
  EXPECT_EQ(parse_number<u32>("42"), 42u);
  EXPECT_EQ(parse_number<u64>("ff", 16), 255u);
  EXPECT_EQ(parse_number<int>("-1"), -1);
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "0x10", "1,000", "1.5", "x"})
    EXPECT_EQ(parse_number<u64>(text), std::nullopt) << text;
}

TEST(ParseNumber, RejectsWhatDoesNotFitItsType) {
  EXPECT_EQ(parse_number<u8>("255"), 255u);
  EXPECT_EQ(parse_number<u8>("256"), std::nullopt);
  EXPECT_EQ(parse_number<u64>("18446744073709551615"), ~u64{0});
  EXPECT_EQ(parse_number<u64>("18446744073709551616"), std::nullopt);
}

TEST(ParseNumber, TakesTheBeginning) {
  std::string_view text = "10-20";
  EXPECT_EQ(take_number<u32>(text), 10u);
  EXPECT_EQ(text, "-20");
  EXPECT_EQ(take_number<i32>(text), -20);
  EXPECT_EQ(text, "");
  text = "x1";
  EXPECT_EQ(take_number<u32>(text), std::nullopt);
  EXPECT_EQ(text, "x1") << "stays as it is";
}

TEST(ParseNumber, TakesFractions) {
  std::string_view text = "2.10GHz";
  EXPECT_EQ(take_number<double>(text), 2.1);
  EXPECT_EQ(text, "GHz");
  EXPECT_EQ(take_number<double>(text), std::nullopt);
  EXPECT_EQ(text, "GHz") << "stays as it is";
  EXPECT_EQ(parse_number<double>("-1.5e2"), -150.0);
  EXPECT_EQ(parse_number<double>("1.5x"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(ParseNumber, TheLeadingNumberIgnoresWhatFollows) {
  EXPECT_EQ(leading_number<u32>("80 columns"), 80u);
  EXPECT_EQ(leading_number<u32>(" 80"), std::nullopt);
  EXPECT_EQ(leading_number<u32>("4294967296"), std::nullopt);
}

TEST(ParseNumber, KnowsThePrefixOfHexadecimalNumbers) {
  EXPECT_EQ(parse_prefixed_number<u64>("0x1f"), 31u);
  EXPECT_EQ(parse_prefixed_number<u64>("0XFF"), 255u);
  EXPECT_EQ(parse_prefixed_number<u64>("010"), 10u);
  for (const char* text : {"", "0x", "x1", "1f", "0x0x1", "0x-1"})
    EXPECT_EQ(parse_prefixed_number<u64>(text), std::nullopt) << text;
}

TEST(ParseNumber, KnowsTheOctalNumbersOfC) {
  EXPECT_EQ(parse_c_number<u64>("0"), 0u);
  EXPECT_EQ(parse_c_number<u64>("010"), 8u);
  EXPECT_EQ(parse_c_number<u64>("10"), 10u);
  EXPECT_EQ(parse_c_number<u64>("0x10"), 16u);
  for (const char* text : {"", "09", "0x", "08x"}) EXPECT_EQ(parse_c_number<u64>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace peregrine
