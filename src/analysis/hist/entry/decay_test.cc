#include "analysis/hist/entry/decay.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"

namespace peregrine {
namespace {

Hists two_stacks(u64 often, u64 once) {
  Hists hists(2, {false, true});
  const HistFrameId main = hists.frames().intern({.dso = 1, .symbol = 1});
  const HistFrameId work = hists.frames().intern({.dso = 1, .symbol = 2});
  const HistFrameId rare = hists.frames().intern({.dso = 1, .symbol = 3});
  const std::vector<u64> group{0, main.value};
  const std::vector<HistFrameId> hot{main, work}, cold{rare};
  hists.add(
      {.group = hists.groups().intern(group), .leaf = work, .chain = hists.chains().insert(hot), .period = often});
  hists.add(
      {.group = hists.groups().intern(group), .leaf = rare, .chain = hists.chains().insert(cold), .period = once});
  hists.totals(0) = {.samples = 8, .period = often + once};
  return hists;
}

TEST(Decay, SumsFadeAndNothingIsForgottenWithItsFrames) {
  const Hists left = faded(two_stacks(800, 1), {7, 8});
  ASSERT_EQ(left.entries().size(), 1u);
  EXPECT_EQ(left.entries()[0].period, 700u);
  EXPECT_EQ(left.totals(0).samples, 7u);
  EXPECT_EQ(left.totals(0).period, 801u * 7 / 8);
  EXPECT_EQ(left.frames().size(), 2u);  // only main and work remain: rare entries are gone
  EXPECT_EQ(left.chains().depth(ChainId(left.entries()[0].chain)), 2u);
}

TEST(Decay, FramesInGroupsAreTranslated) {
  const Hists left = faded(two_stacks(800, 800), {1, 1});
  const u64 value = left.groups()[GroupId(left.entries()[0].group)][1];
  EXPECT_EQ(left.frames()[HistFrameId(static_cast<u32>(value))].symbol, 1u);
}

TEST(Decay, MergesWithWhatComesNew) {
  Hists left = faded(two_stacks(800, 8), {1, 2});
  left.merge(two_stacks(100, 100));
  ASSERT_EQ(left.entries().size(), 2u);
  EXPECT_EQ(left.entries()[0].period, 500u);
  EXPECT_EQ(left.entries()[1].period, 104u);
}

}  // namespace
}  // namespace peregrine
