#include "capture/perf_event/perf_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>

#include "capture/sampling/ring_time.h"

namespace peregrine {
namespace {

constexpr i64 kClockSecond = 1'000'000'000;

abi::EventAttr attr_with_clock(int clockid) {
  abi::EventAttr attr;
  attr.set(abi::attr_flag::UseClockid);
  attr.clockid = clockid;
  return attr;
}

TEST(PerfClock, AClockOfUserSpaceIsReadDirectly) {
  auto monotonic = PerfClock::open(attr_with_clock(CLOCK_MONOTONIC));
  ASSERT_TRUE(monotonic) << monotonic.error().message;
  const i64 same = monotonic->offset().value();
  EXPECT_LT(std::abs(same), kClockSecond) << "the clock is compared with itself";
  auto real = PerfClock::open(attr_with_clock(CLOCK_REALTIME));
  ASSERT_TRUE(real) << real.error().message;
  const i64 expected = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
  EXPECT_LT(std::abs(real->offset().value() - expected), kClockSecond);
}

TEST(PerfClock, TheKernelsOwnClockIsReadFromARecord) {
  auto clock = PerfClock::open({});
  if (!clock) GTEST_SKIP() << clock.error().message;
  const auto first = clock->offset(), second = clock->offset();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_LT(std::abs(*second - *first), kClockSecond) << "the ring is emptied in between";
}

TEST(RingTime, IsAMillisecondBeforeNowOrTheEnd) {
  const i64 before = read_clock(CLOCK_MONOTONIC);
  const u64 held = ring_held_until(false);
  const i64 after = read_clock(CLOCK_MONOTONIC);
  EXPECT_GE(held, static_cast<u64>(before - 1'000'000));
  EXPECT_LE(held, static_cast<u64>(after - 1'000'000));
  EXPECT_EQ(ring_held_until(true), ~u64{0});
}

}  // namespace
}  // namespace peregrine
