#include "machine/source_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST(SourceCache, StaysBelowItsQuota) {
  const std::string folder = testing::TempDir() + "/source_cache_test";
  std::filesystem::remove_all(folder);
  const BuildId first = *BuildId::parse("0102030405060708"), second = *BuildId::parse("1112131415161718");
  const u64 size = filled().encode().size();
  ASSERT_TRUE(filled().save(folder, first, size * 2));
  struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/0102030405060708.lines").c_str(), long_ago, 0), 0);
  ASSERT_TRUE(filled().save(folder, second, size * 2));
  EXPECT_EQ(source_cache_files(folder).size(), 2u);
  ASSERT_TRUE(filled().save(folder, second, size));
  const auto left = source_cache_files(folder);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, second);
  expect_filled(SourceCache::load(folder, second));
  EXPECT_FALSE(SourceCache::load(folder, first).find(0x20, true));
  ASSERT_TRUE(filled().save(folder, first, size - 1));
  EXPECT_EQ(source_cache_files(folder).size(), 1u) << "what does not fit is not kept";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace peregrine
