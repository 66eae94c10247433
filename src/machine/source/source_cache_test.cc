#include "machine/source/source_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr std::array<SourceCache::Frame, 2> kFrames{{{"inner", "/src/a.h", 3}, {"main", "/src/a.c", 12}}};

SourceCache filled() {
  SourceCache cache;
  cache.add(0x20, true, kFrames);
  cache.add(0x10, false, std::span(kFrames).subspan(1));
  cache.add(0x30, true, {});
  return cache;
}

// More places, between the loaded ones and after them.
TEST(SourceCache, KeepsPlacesInOrder) {
  auto cache = SourceCache::decode(filled().encode());
  ASSERT_TRUE(cache);
  for (const u64 address : {0x8u, 0x18u, 0x28u, 0x38u}) cache->add(address, true, kFrames);
  const auto again = SourceCache::decode(cache->encode());
  ASSERT_TRUE(again);
  for (const u64 address : {0x8u, 0x18u, 0x20u, 0x28u, 0x38u}) {
    ASSERT_TRUE(again->find(address, true)) << address;
    EXPECT_EQ(again->find(address, true)->size(), 2u) << address;
  }
  EXPECT_TRUE(again->find(0x30, true)->empty());
}

void expect_filled(const SourceCache& cache) {
  const auto both = cache.find(0x20, true);
  ASSERT_TRUE(both);
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ((*both)[0].function, "inner");
  EXPECT_EQ((*both)[1].path, "/src/a.c");
  EXPECT_EQ((*both)[1].line, 12u);
  ASSERT_TRUE(cache.find(0x10, false));
  EXPECT_FALSE(cache.find(0x10, true)) << "only its line is known";
  ASSERT_TRUE(cache.find(0x30, true));
  EXPECT_TRUE(cache.find(0x30, true)->empty());
  EXPECT_FALSE(cache.find(0x21, false));
}

TEST(SourceCache, GivesBackWhatWasKept) {
  expect_filled(filled());
  const auto again = SourceCache::decode(filled().encode());
  ASSERT_TRUE(again);
  expect_filled(*again);
  EXPECT_FALSE(again->changed());
}

TEST(SourceCache, GrowsAndKeepsTheBetterAnswer) {
  auto cache = SourceCache::decode(filled().encode());
  ASSERT_TRUE(cache);
  cache->add(0x10, true, kFrames);
  const auto again = SourceCache::decode(cache->encode());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->find(0x10, true)->size(), 2u);
  EXPECT_EQ(again->find(0x20, true)->size(), 2u);
}

TEST(SourceCache, RefusesEveryDamage) {
  const std::string whole = filled().encode();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(SourceCache::decode(damaged)) << at;
    EXPECT_FALSE(SourceCache::decode(whole.substr(0, at))) << at;
  }
}

TEST(SourceCache, IsKeptByBuildId) {
  const std::string folder = ::testing::TempDir() + "/source_cache_test";
  std::filesystem::remove_all(folder);
  const KeptFiles kept(folder, 1u << 20);
  const BuildId first = *BuildId::parse("0102030405060708"), second = *BuildId::parse("1112131415161718");
  ASSERT_TRUE(filled().save(kept, second));
  expect_filled(SourceCache::load(kept, second));
  EXPECT_FALSE(SourceCache::load(kept, first).find(0x20, true));
  ASSERT_TRUE(kept.save(KeptKind::Lines, second, "something else"));
  EXPECT_FALSE(SourceCache::load(kept, second).find(0x20, true));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace peregrine
