// The clock of an Intel PT trace: TSC packets are exact; MTC and CYC packets continue from them.
#include "auxtrace/intel_pt/clock.h"

#include <gtest/gtest.h>

namespace peregrine::auxtrace {
namespace {

constexpr u64 kRange = u64{1} << 56;

Packet tsc(u64 ticks) { return {PacketType::Tsc, 8, 0, ticks % kRange}; }
Packet tma(u64 crystal, u16 fast) { return {PacketType::Tma, 7, fast, crystal & 0xffff}; }
Packet mtc(u64 crystal_byte) { return {PacketType::Mtc, 2, 0, crystal_byte & 0xff}; }
Packet cyc(u64 cycles) { return {PacketType::Cyc, 1, 0, cycles}; }
Packet cbr(u64 ratio) { return {PacketType::Cbr, 4, 0, ratio}; }

// A crystal tick is 80 TSC ticks, an MTC packet comes every 8 crystal ticks, and 20 is the base ratio.
constexpr ClockFacts kFacts = {
    .mtc_shift = 3, .tsc_per_ctc_numerator = 160, .tsc_per_ctc_denominator = 2, .base_ratio = 20};

TEST(IntelPtClock, KnowsNothingBeforeATsc) {
  TraceClock clock(kFacts);
  EXPECT_FALSE(clock.take({PacketType::Tnt, 1, 1, 1}));
  EXPECT_TRUE(clock.take(mtc(4)));
  EXPECT_TRUE(clock.take(cyc(100)));
  EXPECT_TRUE(clock.take(tma(1, 1)));
  EXPECT_FALSE(clock.known());
  EXPECT_EQ(clock.cycles(), 100u);
  clock.take(tsc(5000));
  EXPECT_TRUE(clock.known());
  EXPECT_EQ(clock.ticks(), 5000u);
}

TEST(IntelPtClock, TakesTheUpperByteOfATscFromWhatIsNear) {
  for (const u64 near : {u64{5000}, 3 * kRange + 5000, 4 * kRange - 10, 4 * kRange + 10}) {
    for (const u64 ticks : {near, near + 1000, near - 1000}) {
      TraceClock clock(kFacts);
      clock.expect(near);
      clock.take(tsc(ticks));
      EXPECT_EQ(clock.ticks(), ticks);
    }
  }
  TraceClock clock(kFacts);
  clock.expect(kRange - 100);
  clock.take(tsc(kRange - 50));
  clock.take(tsc(kRange + 50));
  EXPECT_EQ(clock.ticks(), kRange + 50);
}

TEST(IntelPtClock, NeverGoesBack) {
  TraceClock clock(kFacts);
  clock.take(tsc(5000));
  clock.take(tsc(4000));
  EXPECT_EQ(clock.ticks(), 5000u);
  clock.take(cyc(500));
  EXPECT_EQ(clock.ticks(), 5000u);
  clock.take(cyc(700));
  EXPECT_EQ(clock.ticks(), 5200u);
}

// The TSC is 24 ticks after the start of crystal tick 0x1236, the sixth of eight: the next MTC packet's tick starts 2
// later.
TEST(IntelPtClock, TicksWithTheCrystal) {
  TraceClock clock(kFacts);
  clock.take(tsc(1'000'024));
  clock.take(tma(0x1236, 24));
  EXPECT_EQ(clock.ticks(), 1'000'024u);
  clock.take(mtc(0x1238 >> 3));
  EXPECT_EQ(clock.ticks(), 1'000'000u + 2 * 80);
  clock.take(mtc(0x1240 >> 3));
  EXPECT_EQ(clock.ticks(), 1'000'000u + 10 * 80);
  clock.take(mtc((0x1240 >> 3) + 5));  // some were lost
  EXPECT_EQ(clock.ticks(), 1'000'000u + 50 * 80);
}

TEST(IntelPtClock, EightBitsOfTheCrystalAreEnough) {
  TraceClock clock(kFacts);
  clock.take(tsc(1'000'000));
  clock.take(tma(0xfff8, 0));
  for (u64 crystal = 0x10000; crystal <= 0x20000; crystal += 8) {
    clock.take(mtc(crystal >> 3));
    ASSERT_EQ(clock.ticks(), 1'000'000 + (crystal - 0xfff8) * 80);
  }
}

TEST(IntelPtClock, WithoutARatioOrAfterAnOverflowMtcSaysNothing) {
  TraceClock blind(ClockFacts{.mtc_shift = 3});
  blind.take(tsc(1000));
  blind.take(tma(8, 0));
  blind.take(mtc(50));
  EXPECT_EQ(blind.ticks(), 1000u);
  TraceClock clock(kFacts);
  clock.take(tsc(1000));
  clock.take(tma(8, 0));
  clock.lose_packets();
  clock.take(mtc(50));
  EXPECT_EQ(clock.ticks(), 1000u);
}

TEST(IntelPtClock, CyclesAreAsLongAsTheRatioSays) {
  TraceClock clock(kFacts);
  clock.take(tsc(1000));
  clock.take(cyc(10));
  EXPECT_EQ(clock.ticks(), 1010u);  // no ratio is known yet: cycles count like TSC ticks
  clock.take(tsc(2000));
  clock.take(cbr(40));  // twice as fast
  clock.take(cyc(10));
  EXPECT_EQ(clock.ticks(), 2005u);
  clock.take(cyc(10));
  EXPECT_EQ(clock.ticks(), 2010u);
  EXPECT_EQ(clock.cycles(), 30u);
  EXPECT_EQ(clock.ratio(), 40u);
  EXPECT_EQ(clock.ticks_of(100), 100u);
}

TEST(IntelPtClock, AbsurdNumbersAreOnlyWrong) {
  for (const u64 numerator : {u64{0}, u64{1}, ~u64{0}}) {
    for (const u64 denominator : {u64{0}, u64{1}, ~u64{0}}) {
      TraceClock clock(ClockFacts{15, numerator, denominator, ~u64{0}});
      clock.expect(~u64{0});
      u64 last = 0;
      for (const Packet& packet : {tsc(~u64{0}), tma(~u64{0}, 511), mtc(0), mtc(0xff), cbr(1), cyc(~u64{0}), tsc(0),
                                   cyc(~u64{0}), cbr(0), cyc(1), tsc(kRange / 2)}) {
        clock.take(packet);
        EXPECT_GE(clock.ticks(), last);
        last = clock.ticks();
      }
      clock.ticks_of(~u64{0});
    }
  }
}

}  // namespace
}  // namespace peregrine::auxtrace
