#include "analysis/keyed_rows.h"

#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

struct Count {
  u64 key = 0;
  u64 hits = 0;
};

TEST(KeyedRows, HaveOneRowForEachKeyInOrderOfArrival) {
  KeyedRows<Count> counts;
  for (const u64 key : {u64{16}, u64{0}, ~u64{0}, u64{16}}) ++counts.at(key).hits;
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].key, 16u);
  EXPECT_EQ(counts[0].hits, 2u);
  EXPECT_EQ(counts[1].key, 0u);
  EXPECT_EQ(counts[2].key, ~u64{0});
  EXPECT_EQ(counts.index_of(0), 1u);
}

TEST(KeyedRows, AreFoundOnlyOnceTheyExist) {
  KeyedRows<Count> counts;
  EXPECT_EQ(counts.find(7), nullptr);
  EXPECT_EQ(counts.size(), 0u) << "looking for a row does not make one";
  counts.at(7).hits = 3;
  ASSERT_NE(counts.find(7), nullptr);
  EXPECT_EQ(counts.find(7)->hits, 3u);
}

TEST(KeyedRows, StayFoundWhileTheTableGrows) {
  KeyedRows<Count> counts;
  for (u64 key = 0; key < 100'000; ++key) counts.at(key * 64).hits = key;
  for (u64 key = 0; key < 100'000; ++key) ASSERT_EQ(counts.at(key * 64).hits, key);
  EXPECT_EQ(counts.size(), 100'000u);
}

TEST(KeyedRows, TakeKeysWithTheirOwnHash) {
  struct Place {
    std::pair<u64, u32> key;
    int hits = 0;
  };
  struct PlaceHash {
    u64 operator()(const std::pair<u64, u32>&) const { return 1; }  // all keys collide
  };
  KeyedRows<Place, PlaceHash> places;
  places.at({1, 2}).hits = 5;
  places.at({2, 1}).hits = 6;
  EXPECT_EQ(places.at({1, 2}).hits, 5);
  EXPECT_EQ(places.at({2, 1}).hits, 6);
}

}  // namespace
}  // namespace peregrine
