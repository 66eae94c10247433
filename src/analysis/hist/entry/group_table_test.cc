#include "analysis/hist/entry/group_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "analysis/hist/entry/kept_samples.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupTable, EqualCombinationsAreOneGroup) {
  GroupTable groups(2);
  const std::array<u64, 2> a{1, 2}, b{2, 1};
  const GroupId first = groups.intern(a);
  EXPECT_NE(groups.intern(b), first) << "the order of values matters";
  EXPECT_EQ(groups.intern(a), first);
  EXPECT_EQ(groups.intern(a), first) << "also right after it";
  EXPECT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[first], ElementsAre(1, 2));
}

TEST(GroupTable, KeepsManyGroupsApart) {
  GroupTable groups(3);
  for (u64 round = 0; round < 2; ++round)
    for (u64 at = 0; at < 5000; ++at) {
      const std::array<u64, 3> values{at % 2, at, ~at};
      EXPECT_EQ(groups.intern(values).value, at);
    }
  EXPECT_EQ(groups.size(), 5000u);
  EXPECT_THAT(groups[GroupId(4999)], ElementsAre(1, 4999, ~u64{4999}));
}

TEST(GroupTable, NumbersThatHashAlikeInOnePlaceAreDistinct) {
  GroupTable groups(2);
  for (u64 bit = 0; bit < 64; ++bit) {
    const std::array<u64, 2> low{u64{1} << bit, 0}, high{0, u64{1} << bit};
    EXPECT_NE(groups.intern(low), groups.intern(high)) << bit;
  }
  EXPECT_EQ(groups.size(), 128u);
}

std::vector<KeptSample> samples_with_ordinals(u64 first, u64 end) {
  std::vector<KeptSample> samples;
  for (u64 at = first; at < end; ++at) samples.push_back({.time = 1000 + at, .ordinal = at});
  return samples;
}
std::vector<u64> ordinals_of(std::span<const KeptSample> samples) {
  std::vector<u64> result;
  for (const KeptSample& sample : samples) result.push_back(sample.ordinal);
  return result;
}

TEST(KeptSamples, HaveNoneForEntriesWithoutOne) {
  KeptSamples kept;
  EXPECT_TRUE(kept.empty());
  EXPECT_THAT(kept.of(5), IsEmpty());
  kept.add(5, samples_with_ordinals(0, 1), 4);
  EXPECT_FALSE(kept.empty());
  EXPECT_THAT(kept.of(4), IsEmpty());
  EXPECT_THAT(kept.of(6), IsEmpty());
  EXPECT_EQ(kept.of(5).size(), 1u);
}

TEST(KeptSamples, KeepAllIfTheyAreFew) {
  std::vector<KeptSample> few = samples_with_ordinals(0, 3);
  keep_few(few, 3);
  EXPECT_THAT(ordinals_of(few), ::testing::UnorderedElementsAre(0, 1, 2));
  keep_few(few, 0);
  EXPECT_THAT(few, IsEmpty());
}

TEST(KeptSamples, TheChoiceDoesNotDependOnTheOrderOrOnWorkers) {
  std::vector<KeptSample> all = samples_with_ordinals(0, 100);
  keep_few(all, 5);
  KeptSamples forwards, one, other;
  for (u64 at = 0; at < 100; ++at) forwards.add(0, samples_with_ordinals(at, at + 1), 5);
  for (u64 at = 100; at-- > 0;) (at % 3 == 0 ? one : other).add(2, samples_with_ordinals(at, at + 1), 5);
  one.merge(2, other, 2);
  for (const auto& [kept, entry] : {std::pair<const KeptSamples*, u32>(&forwards, 0), {&one, 2}}) {
    std::vector<KeptSample> chosen(kept->of(entry).begin(), kept->of(entry).end());
    EXPECT_LT(chosen.size(), 10u) << "twice as many are never in memory";
    keep_few(chosen, kept->most());
    EXPECT_EQ(ordinals_of(chosen), ordinals_of(all));
  }
}

TEST(KeptSamples, MergeOfNothingChangesNothing) {
  KeptSamples kept;
  kept.merge(3, KeptSamples(), 7);
  EXPECT_TRUE(kept.empty());
}

}  // namespace
}  // namespace peregrine
