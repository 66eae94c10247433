#include "analysis/flat_index.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/step_clock.h"

namespace peregrine {
namespace {

// Distinct numbers as rows, found through a FlatIndex.
struct IndexedNumbers {
  // `hash`: 0 makes all rows collide.
  explicit IndexedNumbers(u64 mask = ~u64{0}) : hash_mask(mask) {}
  u64 hash_of(u64 value) const { return mix_bits(value) & hash_mask; }
  u32 add(u64 value) {
    const auto fresh = static_cast<u32>(rows.size());
    const u32 row = index.find_or_add(
        hash_of(value), fresh, [&](u32 at) { return rows[at] == value; }, [&](u32 at) { return hash_of(rows[at]); });
    if (row == fresh) rows.push_back(value);
    return row;
  }
  u32 find(u64 value) const {
    return index.find(hash_of(value), [&](u32 at) { return rows[at] == value; });
  }

  u64 hash_mask;
  FlatIndex index;
  std::vector<u64> rows;
};

TEST(FlatIndex, ReturnsTheSameRowForTheSameKey) {
  IndexedNumbers numbers;
  EXPECT_EQ(numbers.add(50), 0u);
  EXPECT_EQ(numbers.add(60), 1u);
  EXPECT_EQ(numbers.add(50), 0u);
  EXPECT_EQ(numbers.index.size(), 2u);
}

TEST(FlatIndex, FindsNothingInAnEmptyIndex) {
  const IndexedNumbers numbers;
  EXPECT_EQ(numbers.find(50), FlatIndex::kEmpty);
  EXPECT_EQ(numbers.index.first_met(7), FlatIndex::kEmpty);
  EXPECT_EQ(numbers.index.memory_bytes(), 0u);
}

TEST(FlatIndex, KeepsAllRowsWhileItGrows) {
  IndexedNumbers numbers;
  for (u64 i = 0; i < 10'000; ++i) ASSERT_EQ(numbers.add(i * 3), i);
  for (u64 i = 0; i < 10'000; ++i) ASSERT_EQ(numbers.find(i * 3), i);
  EXPECT_EQ(numbers.find(1), FlatIndex::kEmpty);
}

TEST(FlatIndex, TellsKeysWithEqualHashesApart) {
  IndexedNumbers numbers(0);
  for (u64 i = 0; i < 100; ++i) ASSERT_EQ(numbers.add(i), i);
  for (u64 i = 0; i < 100; ++i) ASSERT_EQ(numbers.find(i), i);
}

TEST(FlatIndex, ReservedRoomIsEnough) {
  IndexedNumbers numbers;
  const auto hash_of = [&](u32 at) { return numbers.hash_of(numbers.rows[at]); };
  numbers.index.reserve(1000, hash_of);
  const std::size_t reserved = numbers.index.memory_bytes();
  for (u64 i = 0; i < 1000; ++i) numbers.add(i);
  EXPECT_EQ(numbers.index.memory_bytes(), reserved);
}

TEST(FlatIndex, CanBeUsedAgainAfterItsRelease) {
  IndexedNumbers numbers;
  numbers.add(5);
  numbers.index.release();
  numbers.rows.clear();
  EXPECT_EQ(numbers.find(5), FlatIndex::kEmpty);
  EXPECT_EQ(numbers.add(6), 0u);
  EXPECT_EQ(numbers.find(6), 0u);
}

TEST(MixBits, SpreadsNeighboursOverLowAndHighBits) {
  std::set<u64> low, high;
  for (u64 i = 0; i < 256; ++i) {
    low.insert(mix_bits(i << 40) & 0xff);
    high.insert(mix_bits(i) >> 56);
  }
  EXPECT_GT(low.size(), 128u);
  EXPECT_GT(high.size(), 128u);
}

TEST(StepClock, DividesTimeIntoSteps) {
  StepClock clock(100);
  EXPECT_EQ(clock.step_of(0), 0u);
  EXPECT_EQ(clock.step_of(99), 0u);
  EXPECT_EQ(clock.step_of(100), 1u);
  EXPECT_EQ(clock.step_of(12'345), 123u);
}

TEST(StepClock, TimesMayGoBack) {
  StepClock clock(100);
  EXPECT_EQ(clock.step_of(550), 5u);
  EXPECT_EQ(clock.step_of(499), 4u);
  EXPECT_EQ(clock.step_of(0), 0u);
  EXPECT_EQ(clock.step_of(~u64{0}), ~u64{0} / 100);
  EXPECT_EQ(clock.step_of(550), 5u);
}

TEST(StepClock, AStepIsAtLeastANanosecond) {
  StepClock clock(0);
  EXPECT_EQ(clock.step_of(7), 7u);
  EXPECT_EQ(clock.step_of(8), 8u);
}

}  // namespace
}  // namespace peregrine
