#include "analysis/hist/entry/hists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

Hists::Hit hit(Hists& hists, u64 value, u64 period, u32 ordinal) {
  const u64 values[] = {value};
  return {.group = hists.groups().intern(values),
          .leaf = hists.frames().intern(HistFrame{}),
          .period = period,
          .ordinal = ordinal};
}

TEST(Hists, SettleAddsDeferredHits) {
  Hists soon(1), at_once(1);
  for (u32 at = 0; at < 100; ++at) {
    soon.add_soon(hit(soon, at % 7, at, 99 - at));
    at_once.add(hit(at_once, at % 7, at, 99 - at));
  }
  soon.settle();
  ASSERT_EQ(soon.entries().size(), 7u);
  for (std::size_t at = 0; at < 7; ++at) {
    EXPECT_EQ(soon.entries()[at].samples, at_once.entries()[at].samples);
    EXPECT_EQ(soon.entries()[at].period, at_once.entries()[at].period);
    EXPECT_EQ(soon.entries()[at].first, at_once.entries()[at].first);
  }
}

u64 sum_of(const Hists& hists) {
  u64 sum = 0;
  for (const HistEntry& entry : hists.entries()) sum += entry.period;
  return sum;
}

TEST(Hists, JoinsManyAppendedEntries) {
  constexpr u32 kPlaces = 5000, kHits = (1u << 20) + 3 * kPlaces;
  Hists hists(1), more(1);
  for (u32 at = 0; at < kHits; ++at) hists.append(hit(hists, at % kPlaces, 2, at));
  EXPECT_LE(hists.entries().size(), 4 * kPlaces);
  EXPECT_EQ(sum_of(hists), 2 * u64{kHits});
  more.append(hit(more, 7, 5, 9));
  more.append(hit(more, 7, 6, 8));
  ASSERT_EQ(more.entries().size(), 1u) << "those that follow each other are one";
  EXPECT_EQ(more.entries()[0].first, 8u);
  hists.merge(std::move(more));
  EXPECT_EQ(sum_of(hists), 2 * u64{kHits} + 11);
}

TEST(Hists, AppendedGroupsStayApartWhenMerged) {
  Hists hists(2), more(2);
  const auto append = [](Hists& to, u64 time) {
    const u64 values[] = {0, time};
    to.append({.group = to.groups().append(values), .leaf = to.frames().intern(HistFrame{}), .period = 1});
  };
  for (const u64 time : {1u, 2u, 2u}) append(hists, time);
  for (const u64 time : {2u, 3u}) append(more, time);
  hists.merge(std::move(more));
  std::vector<u64> times;
  for (const HistEntry& entry : hists.entries()) times.push_back(hists.groups()[GroupId(entry.group)][1]);
  EXPECT_THAT(times, ::testing::ElementsAre(1, 2, 2, 3));
  EXPECT_EQ(hists.entries()[1].samples, 2u);
}

std::vector<u64> kept(const Hists& hists) {
  std::vector<KeptSample> samples(hists.kept().of(0).begin(), hists.kept().of(0).end());
  keep_few(samples, hists.kept().most());
  std::vector<u64> times;
  for (const KeptSample& sample : samples) times.push_back(sample.time);
  return times;
}

TEST(Hists, KeepsTheSameSamplesHoweverManyCountedThem) {
  Hists one(1), first(1), second(1);
  for (u32 at = 0; at < 1000; ++at)
    for (Hists* to : {&one, at % 3 == 0 ? &first : &second}) {
      const Hists::Hit own = hit(*to, 0, 1, at);
      to->add(own);
      to->keep(own.group.value, own.leaf.value, own.chain.value, {.time = 5000 + at, .ordinal = at}, 4);
    }
  first.merge(std::move(second));
  EXPECT_EQ(kept(one).size(), 4u);
  EXPECT_EQ(kept(one), kept(first));
  EXPECT_LT(one.kept().of(0).size(), 8u) << "no more than that are in memory";
}

TEST(Hists, MergeTranslatesFramesInGroups) {
  Hists one(3, {false, false, true}), other(3, {false, false, true});
  // The same caller has a different id in each of them.
  one.frames().intern({.dso = 9, .symbol = 9});
  const u64 here[] = {0, 5, one.frames().intern({.dso = 1, .symbol = 1}).value};
  const u64 there[] = {0, 5, other.frames().intern({.dso = 1, .symbol = 1}).value};
  ASSERT_NE(here[2], there[2]);
  for (const auto& [hists, values] : {std::pair(&one, std::span(here)), {&other, std::span(there)}})
    hists->add({.group = hists->groups().intern(values),
                .leaf = hists->frames().intern({.dso = 2, .symbol = 2}),
                .period = 1});
  one.merge(std::move(other));
  ASSERT_EQ(one.entries().size(), 1u) << "they are one entry";
  EXPECT_EQ(one.entries()[0].samples, 2u);
}

TEST(Hists, ValuesThatAreNoFramesStayWhatTheyAre) {
  Hists one(2), other(2);
  one.frames().intern({.dso = 9, .symbol = 9});
  const u64 values[] = {0, 0};  // happens to equal the number of a frame
  other.add({.group = other.groups().intern(values), .leaf = other.frames().intern({.dso = 1}), .period = 1});
  one.merge(other);
  EXPECT_THAT(one.groups()[GroupId(one.entries().at(0).group)], ::testing::ElementsAre(0, 0));
}

TEST(Hists, AnEntryKnowsItsFirstSampleHoweverItWasCounted) {
  Hists late(1), early(1);
  Hists::Hit second = hit(late, 1, 10, 20), first = hit(early, 1, 10, 5);
  second.thread = 2;
  first.thread = 1;
  late.add(second);
  early.add(first);
  Hists both = late, backwards = early;
  both.merge(early);
  backwards.merge(late);
  for (const Hists* hists : {&both, &backwards}) {
    EXPECT_EQ(hists->entries().at(0).first, 5u);
    EXPECT_EQ(hists->entries().at(0).thread, 1u);
    EXPECT_EQ(hists->entries().at(0).period, 20u);
  }
}

TEST(Hists, TotalsAreByEventAndAddUp) {
  Hists one(1), other(1);
  EXPECT_EQ(std::as_const(one).totals(3).samples, 0u) << "an event that never occurred";
  EXPECT_EQ(one.event_count(), 0u);
  one.totals(0) = {.samples = 1, .period = 10, .shown_samples = 1, .shown_period = 5};
  other.totals(2) = {.samples = 2, .chain_period = 7, .shown_chain_period = 6};
  other.totals(0).samples = 4;
  one.merge(other);
  EXPECT_EQ(one.event_count(), 3u);
  EXPECT_EQ(one.totals(0).samples, 5u);
  EXPECT_EQ(one.totals(0).shown_period, 5u);
  EXPECT_EQ(one.totals(1).samples, 0u);
  EXPECT_EQ(one.totals(2).chain_period, 7u);
  EXPECT_EQ(one.totals(2).shown_chain_period, 6u);
}

TEST(Hists, BranchSumsAreByFrameOfTheChain) {
  Hists one(1), other(1);
  const auto count = [](Hists& hists, std::vector<u64> cycles) {
    std::vector<BranchSums> frames;
    for (const u64 each : cycles) frames.push_back({.ends = 1, .cycles = each});
    const Hists::Hit own = hit(hists, 0, 1, 1);
    hists.add(own);
    hists.add_branches(own.group.value, own.leaf.value, own.chain.value, frames);
  };
  EXPECT_FALSE(one.has_branches());
  EXPECT_TRUE(one.branches_of(7).empty());
  count(one, {1, 2});
  count(other, {10, 20});
  one.merge(other);
  ASSERT_EQ(one.branches_of(0).size(), 2u);
  EXPECT_EQ(one.branches_of(0)[0].cycles, 11u);
  EXPECT_EQ(one.branches_of(0)[1].cycles, 22u);
}

TEST(Hists, AFrozenHistsIsReadAsBefore) {
  Hists hists(1);
  for (u32 at = 0; at < 100; ++at) hists.add(hit(hists, at, 1, at));
  const std::size_t before = hists.memory_bytes();
  hists.freeze();
  EXPECT_LT(hists.memory_bytes(), before);
  EXPECT_EQ(sum_of(hists), 100u);
}

}  // namespace
}  // namespace peregrine
