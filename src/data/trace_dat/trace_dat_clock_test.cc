#include "data/trace_dat/trace_dat_clock.h"

#include <gtest/gtest.h>

namespace peregrine::data {
namespace {

TEST(TraceDatClock, AddsTheOffsetToNanoseconds) {
  EXPECT_EQ(TraceDatClock{}.corrected(7, 0), 7u);
  EXPECT_EQ(TraceDatClock{.offset = 100}.corrected(7, 0), 107u);
  EXPECT_EQ(TraceDatClock{.offset = -3}.corrected(7, 0), 4u);
}

TEST(TraceDatClock, TurnsCyclesIntoNanoseconds) {
  const TraceDatClock clock{.multiplier = 3, .shift = 1, .offset = 1};
  EXPECT_EQ(clock.corrected(10, 0), 16u);
  EXPECT_EQ(clock.corrected(u64{1} << 62, 0), (u64{3} << 61) + 1) << "the product needs more than 64 bits";
  EXPECT_EQ((TraceDatClock{.multiplier = 3, .shift = 64}).corrected(10, 0), 0u);
}

TEST(TraceDatClock, PutsAGuestOnTheClockOfItsHost) {
  TraceDatClock clock;
  clock.shifts = {{{.time = 100, .offset = 1000}, {.time = 200, .offset = 1100}}, {{.time = 0, .offset = -5}}};
  EXPECT_EQ(clock.corrected(50, 0), 1050u);
  EXPECT_EQ(clock.corrected(150, 0), 1150u);
  EXPECT_EQ(clock.corrected(250, 0), 1350u);
  EXPECT_EQ(clock.corrected(50, 1), 45u);
  EXPECT_EQ(clock.corrected(50, 9), 1050u) << "an unknown CPU has the shifts of the first";
  clock.interpolate = true;
  EXPECT_EQ(clock.corrected(150, 0), 1200u);
  clock.shifts = {{{.time = 0, .offset = 1, .scaling = 3, .fraction = 1}}};
  EXPECT_EQ(clock.corrected(10, 0), 16u);
}

TEST(TraceDatClock, HostileShiftsWrapAround) {
  TraceDatClock clock;
  clock.shifts = {{{.time = 5, .offset = INT64_MIN, .scaling = ~u64{0}, .fraction = 0},
                   {.time = ~u64{0}, .offset = INT64_MAX, .scaling = 0, .fraction = 64}}};
  clock.interpolate = true;
  for (const u64 time : {u64{0}, u64{5}, u64{1} << 63, ~u64{0} - 1, ~u64{0}}) (void)clock.corrected(time, 0);
}

}  // namespace
}  // namespace peregrine::data
