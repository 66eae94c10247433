#include "data/order/run_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>

namespace peregrine::data {
namespace {

std::vector<IndexEntry> index_of(const std::vector<u64>& times) {
  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < times.size(); ++i) entries.push_back({times[i], 0, static_cast<u32>(i)});
  return entries;
}

std::vector<u32> places(const std::vector<IndexEntry>& entries) {
  std::vector<u32> result;
  for (const IndexEntry& entry : entries) result.push_back(entry.place);
  return result;
}

TEST(MergeRuns, GivesTimeOrderAndKeepsFileOrderAmongEquals) {
  std::vector<IndexEntry> out, rest;
  merge_runs(index_of({1, 4, 7, 2, 3, 9, 8, 8, 5, 11, 4}), ~u64{0}, out, rest);
  EXPECT_THAT(places(out), ::testing::ElementsAre(0, 3, 4, 1, 10, 8, 2, 6, 7, 5, 9));
  EXPECT_TRUE(rest.empty());
}

TEST(MergeRuns, HoldsBackWhatIsYoungerThanTheLimit) {
  std::vector<IndexEntry> out, rest;
  merge_runs(index_of({1, 4, 7, 2, 4, 9, 8, 5}), 4, out, rest);
  EXPECT_THAT(places(out), ::testing::ElementsAre(0, 3, 1, 4));
  EXPECT_THAT(places(rest), ::testing::ElementsAre(2, 5, 6, 7));
}

TEST(MergeRuns, EqualsAStableSortOnAnyInput) {
  std::mt19937_64 random(1);
  for (const std::size_t range : {3u, 100u, 1000000u}) {
    for (std::size_t size = 0; size < 40000; size = size * 3 + 1) {
      std::vector<u64> times(size);
      for (u64& time : times) time = random() % range;
      if (size % 2 == 0) std::sort(times.begin(), times.end(), std::greater<>());  // more runs than piles
      auto expected = index_of(times);
      std::ranges::stable_sort(expected, {}, &IndexEntry::time);
      std::vector<IndexEntry> out, rest;
      merge_runs(index_of(times), ~u64{0}, out, rest);
      EXPECT_EQ(places(out), places(expected));
    }
  }
}

}  // namespace
}  // namespace peregrine::data
