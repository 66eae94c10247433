#include "analysis/hist/entry/hists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

Hists::Hit hit(Hists& hists, u64 value, u64 period, u32 ordinal) {
  const u64 values[] = {value};
  return {.group = hists.groups().intern(values),
          .leaf = hists.frames().intern(HistFrame{}),
          .period = period,
          .ordinal = ordinal};
}

TEST(Hists, WhatIsAddedSoonIsThereOnceItIsSettled) {
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

TEST(Hists, WhatIsAppendedIsJoinedWhenItIsMuch) {
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

}  // namespace
}  // namespace peregrine
