#include "base/number/real_number.h"

#include <gtest/gtest.h>

#include <string_view>

namespace peregrine {
namespace {

TEST(RealNumber, AcceptsFractionsAndExponents) {
  EXPECT_EQ(parse_real("0"), 0.0);
  EXPECT_EQ(parse_real("12.5"), 12.5);
  EXPECT_EQ(parse_real("5e-1"), 0.5);
}

TEST(RealNumber, RejectsWhatIsNotFiniteOrNegative) {
  for (const char* text : {"nan", "-nan", "nan(1)", "inf", "-inf", "infinity", "1e999", "-1", "-0.5"})
    EXPECT_FALSE(parse_real(text)) << text;
}

TEST(RealNumber, RejectsTextAroundTheNumber) {
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "1,5", "+1", "x"}) EXPECT_FALSE(parse_real(text)) << text;
}

TEST(RealNumber, MayBeTakenFromTheStart) {
  std::string_view text = "-1.5e-9GHz";
  EXPECT_EQ(take_finite(text), -1.5e-9);
  EXPECT_EQ(text, "GHz");
  for (std::string_view unit : {"", "GHz", "nanoseconds", "infinitesimals", "1e999", " 1"}) {
    const std::string_view before = unit;
    EXPECT_FALSE(take_finite(unit)) << before;
    EXPECT_EQ(unit, before) << "unchanged";
  }
}

TEST(RealNumber, PercentMayHaveItsSign) {
  EXPECT_EQ(parse_percent("0.5"), 0.5);
  EXPECT_EQ(parse_percent("0.5%"), 0.5);
  EXPECT_EQ(parse_percent("101%"), 101.0);
  for (const char* text : {"", "%", "5%%", "% 5", "nan%", "inf", "-1%"}) EXPECT_FALSE(parse_percent(text)) << text;
}

}  // namespace
}  // namespace peregrine
