#include "analysis/stat/value_distribution.h"

#include <gtest/gtest.h>

#include "capture/bpf/counting/value_count.h"

namespace peregrine {
namespace {

std::string text(const ValueDistribution& distribution) {
  std::string all;
  for (const ValueRange& range : distribution.ranges()) {
    all += range.low + ".." + range.high + ":" + std::to_string(range.count) + " ";
  }
  return all;
}

TEST(ValueDistribution, IsOfPowersOfTwo) {
  ValueDistribution distribution("s:e:f", true, {});
  EXPECT_EQ(text(distribution), "");
  EXPECT_EQ(distribution.values(), 0u);
  EXPECT_EQ(distribution.average(), 0);
  std::vector<u64> slots(kSlots, 0);
  slots[kNegative] = 1;
  slots[kFirstPower + 1] = 4;
  slots[kSum] = static_cast<u64>(-1) + 2 * 2 + 3 * 2;
  distribution.add(slots);
  distribution.add(slots);
  EXPECT_EQ(text(distribution), "..-1:2 0..0:0 1..1:0 2..3:8 ");
  EXPECT_EQ(distribution.values(), 10u);
  EXPECT_DOUBLE_EQ(distribution.average(), 1.8);
}

TEST(ValueDistribution, HasTheLargestNumbers) {
  ValueDistribution distribution("s:e:f", false, {});
  std::vector<u64> slots(kSlots, 0);
  slots[kFirstPower + 63] = 1;
  slots[kSum] = ~u64{0};
  distribution.add(slots);
  EXPECT_EQ(text(distribution), "9223372036854775808..18446744073709551615:1 ");
  EXPECT_DOUBLE_EQ(distribution.average(), 18446744073709551615.0);
}

TEST(ValueDistribution, HasBoundsOfTheUsers) {
  ValueDistribution distribution("s:e:f", false, {1, 8, 64});
  std::vector<u64> slots(kSlots, 0);
  slots[0] = 5;
  slots[2] = 6;
  slots[3] = 7;
  distribution.add(slots);
  EXPECT_EQ(text(distribution), "..0:5 1..7:0 8..63:6 64..:7 ");
}

}  // namespace
}  // namespace peregrine
