#include "output/text/format/scaled.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

void expect_scaled(u64 value, double step, std::size_t last_unit, double number, std::size_t unit) {
  const Scaled result = scaled(value, step, last_unit);
  EXPECT_DOUBLE_EQ(result.number, number) << value;
  EXPECT_EQ(result.unit, unit) << value;
}

TEST(Scaled, DividesUntilTheNumberIsSmallerThanAStep) {
  expect_scaled(0, 1000, 3, 0, 0);
  expect_scaled(999, 1000, 3, 999, 0);
  expect_scaled(1000, 1000, 3, 1, 1);
  expect_scaled(1'500'000, 1000, 3, 1.5, 2);
  expect_scaled(1023, 1024, 6, 1023, 0);
  expect_scaled(1536, 1024, 6, 1.5, 1);
  expect_scaled(~u64{0}, 1024, 6, 16, 6);
}

TEST(Scaled, UsesTheNextUnitWhereTheNumberWouldRoundToAStep) {
  expect_scaled(999'499, 1000, 3, 999.499, 1);
  expect_scaled(999'500, 1000, 3, 0.9995, 2);
}

TEST(Scaled, StopsAtTheLastUnit) {
  expect_scaled(5'000'000, 1000, 1, 5000, 1);
  expect_scaled(5'000'000, 1000, 0, 5'000'000, 0);
}

}  // namespace
}  // namespace peregrine
