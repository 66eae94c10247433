#include "machine/address_space.h"

#include <gtest/gtest.h>

#include <random>

namespace peregrine {
namespace {

Map map_of(u64 start, u64 end, u64 offset) {
  Map map;
  map.start = start;
  map.end = end;
  map.page_offset = offset;
  map.dso = DsoId(0);
  return map;
}

// What cover() says of one address holds of all that it names.
TEST(AddressSpaces, SaysHowFarAnAnswerHolds) {
  AddressSpaces spaces;
  const SpaceId space = spaces.create(1);
  u64 seed = 7;
  const auto random = [&](u64 below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
  };
  for (Moment moment = 2; moment < 60; ++moment) {
    Map map;
    map.start = random(100);
    map.end = map.start + 1 + random(20);
    if (random(4) != 0) map.dso = DsoId(static_cast<u32>(moment));
    spaces.insert(space, map, moment);
    const SpaceVersion now = spaces.version(space, moment);
    for (u64 ip = 0; ip < 130; ++ip) {
      const auto cover = spaces.cover(space, now.number, ip);
      ASSERT_LE(cover.start, ip);
      ASSERT_GT(cover.end, ip);
      for (u64 other = cover.start; other < std::min<u64>(cover.end, 130); ++other)
        ASSERT_EQ(spaces.find(space, now.number, other).value, cover.map.value) << ip << ' ' << other;
    }
  }
}

TEST(AddressSpaces, AllAtOnceIsAsEachInTurn) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    AddressSpaces spaces;
    const SpaceId each = spaces.create(1), all = spaces.create(1);
    std::vector<Map> maps;
    for (u64 i = 0; i < 40; ++i) {
      const u64 start = random() % 100;
      maps.push_back(map_of(start, start + 1 + random() % 30, i * 1000));
    }
    for (const SpaceId space : {each, all}) spaces.insert(space, map_of(20, 90, 1), 2);
    for (const Map& map : maps) spaces.insert(each, map, 3);
    spaces.insert_all(all, maps, 3);
    for (const SpaceId space : {each, all}) spaces.insert(space, map_of(50, 60, 2), 4);
    for (const Moment moment : {2, 3, 4}) {
      for (u64 ip = 0; ip < 140; ++ip) {
        const MapId one = spaces.find(each, spaces.version(each, moment).number, ip);
        const MapId other = spaces.find(all, spaces.version(all, moment).number, ip);
        ASSERT_EQ(static_cast<bool>(one), static_cast<bool>(other)) << ip;
        if (one) ASSERT_EQ(spaces.at(one).page_offset, spaces.at(other).page_offset) << ip << " at " << moment;
      }
    }
  }
}

TEST(AddressSpaces, KnowsWhatIsInPlace) {
  AddressSpaces spaces;
  const SpaceId space = spaces.create(1);
  const std::vector<Map> maps = {map_of(10, 20, 0), map_of(20, 30, 10), map_of(25, 40, 50)};
  spaces.insert_all(space, maps, 1);
  EXPECT_TRUE(spaces.is_in_place(space, maps[0]));
  EXPECT_FALSE(spaces.is_in_place(space, maps[1])) << "partly hidden";
  EXPECT_TRUE(spaces.is_in_place(space, maps[2]));
  EXPECT_FALSE(spaces.is_in_place(space, map_of(10, 20, 5)));
  EXPECT_FALSE(spaces.is_in_place(space, map_of(12, 18, 2)));
  spaces.insert(space, map_of(15, 16, 7), 2);
  EXPECT_FALSE(spaces.is_in_place(space, maps[0]));
}

}  // namespace
}  // namespace peregrine
