#include "pipeline/decode/arm_spe/arm_spe_facts.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(ArmSpeFacts, TimesOfTicks) {
  ArmSpeFacts facts;
  facts.clock = {.shift = 4, .multiplier = 647, .zero = 1000};
  EXPECT_EQ(facts.time_of(0), 1000u);
  EXPECT_EQ(facts.time_of(16), 1647u);
  EXPECT_EQ(facts.time_of(17), 1687u);  // 40.4 ns more
}

TEST(ArmSpeFacts, ShortClocksWrap) {
  ArmSpeFacts facts;
  facts.clock = {.shift = 0,
                 .multiplier = 1,
                 .zero = 5,
                 .has_cycles = true,
                 .cycles = 0x1f0,
                 .mask = 0xff,
                 .cap_zero = true,
                 .cap_short = true};
  EXPECT_EQ(facts.time_of(0xf8), 5u + 0x1f8);
  EXPECT_EQ(facts.time_of(0x08), 5u + 0x208);  // the low byte has wrapped
}

}  // namespace
}  // namespace peregrine
