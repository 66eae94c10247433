#include "pipeline/rewrite/guest_clock.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

// Four ticks per nanosecond.
abi::TimeConvRecord clock_from(u64 zero) {
  return {.shift = 2, .multiplier = 1, .zero = zero, .has_cycles = true, .cap_zero = true};
}

TEST(GuestClock, ConvertsByWayOfTheTsc) {
  const GuestClock clock{.guest = clock_from(1000), .host = clock_from(50), .offset = static_cast<u64>(-4000)};
  EXPECT_EQ(clock.host_time(1100), 50u + (100 * 4 + 4000) / 4);
  EXPECT_EQ(clock.host_time(0), 0u);
}

TEST(GuestClock, TakesTimesForTicksWithoutAClock) {
  const GuestClock clock{.guest = {}, .host = {}, .offset = 100, .scale = 0.5};
  EXPECT_EQ(clock.host_time(350), 500u);
  abi::TimeConvRecord broken = clock_from(0);
  broken.multiplier = 0;
  EXPECT_EQ((GuestClock{.guest = broken, .host = broken, .offset = 1}.host_time(5)), 4u);
}

TEST(GuestClock, EndsAtTheLargestTime) {
  const GuestClock clock{.guest = {}, .host = {}, .offset = 1, .scale = 1e-9};
  EXPECT_EQ(clock.host_time(~u64{0}), ~u64{0});
}

}  // namespace
}  // namespace peregrine
