#include "base/number/duration.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Duration, HasAUnit) {
  EXPECT_EQ(nanoseconds_of("7ns"), 7u);
  EXPECT_EQ(nanoseconds_of("10us"), 10'000u);
  EXPECT_EQ(nanoseconds_of("3ms"), 3'000'000u);
  EXPECT_EQ(nanoseconds_of("2s"), 2'000'000'000u);
  EXPECT_EQ(nanoseconds_of("2m"), std::nullopt);
  EXPECT_EQ(nanoseconds_of("ms"), std::nullopt);
}

TEST(Duration, MayBeABareNumberWhereTheCallerAllowsIt) {
  EXPECT_EQ(nanoseconds_of("12"), std::nullopt);
  EXPECT_EQ(nanoseconds_of("12", true), 12u);
}

TEST(Duration, RejectsMoreThanSixtyFourBitsHold) {
  EXPECT_EQ(nanoseconds_of("18446744073709551615ns"), ~u64{0});
  EXPECT_EQ(nanoseconds_of("18446744073709551615us"), std::nullopt);
}

}  // namespace
}  // namespace peregrine
