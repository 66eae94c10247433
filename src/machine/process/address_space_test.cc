#include "machine/process/address_space.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// The answer of cover() for one address holds for the whole range that it returns.
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

// Compares with an array of what is mapped at each address: maps, holes, forks and removed spaces, long enough for
// bases to be made and freed.
TEST(AddressSpaces, IsAsAPlainTableOfAddresses) {
  constexpr u64 kAddresses = 400;
  std::mt19937 random(11);
  AddressSpaces spaces;
  std::vector<SpaceId> ids{spaces.create(1)};
  std::vector<std::vector<u64>> tables{std::vector<u64>(kAddresses, 0)};  // page_offset + 1; 0: nothing
  for (Moment moment = 2; moment < 3000; ++moment) {
    const std::size_t which = random() % ids.size();
    if (random() % 40 == 0 && ids.size() < 30) {
      ids.push_back(spaces.fork(ids[which], moment));
      tables.push_back(std::vector<u64>(tables[which]));
    } else {
      const u64 start = random() % kAddresses, end = std::min(kAddresses, start + 1 + random() % 12);
      const bool hole = random() % 5 == 0;
      if (hole)
        spaces.remove(ids[which], start, end, moment);
      else
        spaces.insert(ids[which], map_of(start, end, moment), moment);
      for (u64 at = start; at < end; ++at) tables[which][at] = hole ? 0 : moment + 1 + at - start;
    }
    if (moment % 50 == 0) spaces.forget_before(moment);
    if (moment % 150 == 0 && ids.size() > 5) {
      const std::size_t gone = random() % ids.size();
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(gone));
      tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(gone));
      std::vector<bool> kept(spaces.space_count());
      for (const SpaceId id : ids) kept[id.value] = true;
      spaces.keep(kept);
      ASSERT_LT(spaces.map_count(), 4000u);
    }
    if (moment % 100 != 0) continue;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (u64 at = 0; at < kAddresses; ++at) {
        const MapId map = spaces.find_newest(ids[i], at);
        ASSERT_EQ(map ? spaces.at(map).dso_address(at) + 1 : 0, tables[i][at]) << i << ' ' << at;
      }
      std::vector<u64> listed(kAddresses, 0);
      for (const Map& map : spaces.newest(ids[i]))
        for (u64 at = map.start; at < map.end; ++at) listed[at] = map.dso_address(at) + 1;
      ASSERT_EQ(listed, tables[i]);
      for (const Map& map : spaces.newest(ids[i], 100, 120))
        for (u64 at = std::max<u64>(map.start, 100); at < std::min<u64>(map.end, 120); ++at)
          ASSERT_EQ(map.dso_address(at) + 1, tables[i][at]);
    }
  }
}

// A program with many maps that forks often: every child once copied the parent's log, and made a base after its first
// map.
TEST(AddressSpaces, ChildrenOfALargeProcessCostWhatTheyChange) {
  constexpr u64 kMaps = 20'000;
  AddressSpaces spaces;
  const SpaceId parent = spaces.create(1);
  for (u64 i = 0; i < kMaps; ++i) spaces.insert(parent, map_of(i * 10, i * 10 + 5, 0), 2);
  spaces.forget_before(3);
  const u64 before = spaces.base_ranges();
  EXPECT_LE(before, 2 * kMaps);
  for (u64 i = 0; i < 10'000; ++i) {
    const SpaceId child = spaces.fork(parent, 4);
    for (u64 n = 0; n < 3; ++n) spaces.insert(child, map_of(n * 10, n * 10 + 7, i), 5);
    ASSERT_TRUE(spaces.find_newest(child, kMaps * 10 - 6));
    ASSERT_EQ(spaces.at(spaces.find_newest(child, 6)).page_offset, i);
  }
  EXPECT_LE(spaces.base_ranges() - before, 64 * spaces.map_count() + (u64{1} << 20));
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
