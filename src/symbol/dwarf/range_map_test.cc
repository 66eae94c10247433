#include "symbol/dwarf/range_map.h"

#include <gtest/gtest.h>

#include <random>

namespace peregrine {
namespace {

using NestedRanges = std::vector<RangeMap::Range>;

// Splits [begin, end) into disjoint ranges of one level, and each of them again.
void nest_ranges(std::mt19937& random, u64 begin, u64 end, u32 level, NestedRanges& ranges) {
  for (u64 at = begin + random() % 4; at < end && level < 5;) {
    const u64 size = std::min<u64>(1 + random() % 40, end - at);
    ranges.push_back({at, at + size, static_cast<u32>(ranges.size()), level});
    nest_ranges(random, at, at + size, level + 1, ranges);
    at += size + random() % 6;
  }
}

TEST(RangeMapNesting, FindsTheInnermostRangeHoweverTheyAreOrdered) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    NestedRanges ranges;
    nest_ranges(random, 100, 400, 0, ranges);
    std::vector<u32> innermost(500, RangeMap::kNobody);
    for (const RangeMap::Range& range : ranges)  // parents precede the ranges inside them
      for (u64 address = range.begin; address < range.end; ++address) innermost[address] = range.owner;
    std::ranges::shuffle(ranges, random);
    const RangeMap map = RangeMap::build(ranges);
    for (u64 address = 0; address < innermost.size(); ++address)
      ASSERT_EQ(map.find(address), innermost[address]) << "round " << round << ", address " << address;
  }
}

TEST(RangeMapNesting, WalksSegmentsThatAgreeWithFind) {
  std::mt19937 random(5);
  NestedRanges ranges;
  nest_ranges(random, 100, 2000, 0, ranges);
  const RangeMap map = RangeMap::build(ranges);
  u64 last = 0;
  u32 last_owner = RangeMap::kNobody;
  std::size_t visited = 0;
  map.walk(0, [&](u64 start, u32 owner) {
    EXPECT_GT(start, last);
    EXPECT_NE(owner, last_owner) << "the owner changes from segment to segment";
    EXPECT_EQ(map.find(start), owner);
    EXPECT_EQ(map.find(start - 1), last_owner);
    last = start;
    last_owner = owner;
    ++visited;
    return true;
  });
  EXPECT_EQ(visited, map.size());
  EXPECT_EQ(last_owner, RangeMap::kNobody) << "nothing follows the last range";
}

TEST(RangeMapNesting, WalksFromTheSegmentThatCoversTheAddress) {
  const RangeMap map = RangeMap::build({{10, 20, 7, 0}, {20, 30, 8, 0}});
  const auto starts_from = [&](u64 address) {
    std::vector<u64> starts;
    map.walk(address, [&](u64 start, u32) {
      starts.push_back(start);
      return starts.size() < 2;
    });
    return starts;
  };
  EXPECT_EQ(starts_from(0), (std::vector<u64>{10, 20}));
  EXPECT_EQ(starts_from(19), (std::vector<u64>{10, 20}));
  EXPECT_EQ(starts_from(20), (std::vector<u64>{20, 30}));
  EXPECT_EQ(starts_from(100), (std::vector<u64>{30}));
}

TEST(RangeMapNesting, ClipsWhatIsInlinedToItsCaller) {
  const RangeMap map = RangeMap::build({{10, 30, 0, 0}, {20, 50, 1, 1}});
  EXPECT_EQ(map.find(29), 1u);
  EXPECT_EQ(map.find(30), RangeMap::kNobody);
}

TEST(RangeMapNesting, IgnoresRangesWithoutAddresses) {
  const RangeMap map =
      RangeMap::build({{10, 20, 4, 0}, {15, 15, 5, 1}, {20, 30, 4, 0}, {40, 40, 6, 0}, {50, 40, 7, 0}});
  for (const u64 address : {10, 15, 20, 29}) EXPECT_EQ(map.find(address), 4u) << address;
  for (const u64 address : {30, 40, 45, 50}) EXPECT_EQ(map.find(address), RangeMap::kNobody) << address;
}

TEST(RangeMapNesting, ReachesTheEndsOfTheAddressSpace) {
  const RangeMap map = RangeMap::build({{0, 1, 1, 0}, {~u64{0} - 1, ~u64{0}, 2, 0}});
  EXPECT_EQ(map.find(0), 1u);
  EXPECT_EQ(map.find(1), RangeMap::kNobody);
  EXPECT_EQ(map.find(~u64{0} - 1), 2u);
  EXPECT_EQ(map.find(~u64{0}), RangeMap::kNobody);
  EXPECT_EQ(RangeMap::build({}).find(0), RangeMap::kNobody);
}

}  // namespace
}  // namespace peregrine
