#include "base/number/number_unit.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

constexpr NumberUnit kTestUnits[] = {{"", 1}, {"k", 1'000}, {"kk", 1'000'000}};

TEST(NumberUnit, MultipliesTheNumber) {
  EXPECT_EQ(parse_with_unit("12", kTestUnits), 12u);
  EXPECT_EQ(parse_with_unit("12k", kTestUnits), 12'000u);
  EXPECT_EQ(parse_with_unit("12kk", kTestUnits), 12'000'000u);
  EXPECT_EQ(in_unit(7, "k", kTestUnits), 7'000u);
}

TEST(NumberUnit, RejectsUnknownUnitsAndMissingNumbers) {
  for (const char* text : {"", "k", "12K", "12 k", "12kx", "-1k", "1.5k"})
    EXPECT_EQ(parse_with_unit(text, kTestUnits), std::nullopt) << text;
  EXPECT_EQ(parse_with_unit("12", std::span(kTestUnits).subspan(1)), std::nullopt) << "the unit is required";
}

TEST(NumberUnit, RejectsProductsAboveTheLimit) {
  EXPECT_EQ(parse_with_unit("18446744073709551615", kTestUnits), ~u64{0});
  EXPECT_EQ(parse_with_unit("18446744073709551615k", kTestUnits), std::nullopt);
  EXPECT_EQ(parse_with_unit("5k", kTestUnits, 5'000), 5'000u);
  EXPECT_EQ(parse_with_unit("5k", kTestUnits, 4'999), std::nullopt);
}

}  // namespace
}  // namespace peregrine
