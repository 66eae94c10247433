#include "base/number/real_number.h"

#include <gtest/gtest.h>

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

TEST(RealNumber, PercentMayHaveItsSign) {
  EXPECT_EQ(parse_percent("0.5"), 0.5);
  EXPECT_EQ(parse_percent("0.5%"), 0.5);
  EXPECT_EQ(parse_percent("101%"), 101.0);
  for (const char* text : {"", "%", "5%%", "% 5", "nan%", "inf", "-1%"}) EXPECT_FALSE(parse_percent(text)) << text;
}

}  // namespace
}  // namespace peregrine
