#include "analysis/diff/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/diff/test_recording.h"
#include "analysis/hist/key/face_table.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines(const Comparison& comparison) {
  std::vector<std::string> result;
  for (const ComparedRow& row : comparison.rows()) {
    const FrameLook& look = comparison.table_of(row).frame_look(comparison.row_of(row));
    const FaceTable& faces = comparison.table_of(row).faces();
    std::string line = look.symbol.valid() ? std::string(faces.text(look.symbol)) : fmt::format("{:#x}", look.address);
    for (const RowWeight& weight : row.weights) line += fmt::format(" {}", weight.samples);
    for (std::size_t side = 1; side < comparison.sides(); ++side)
      line += row.changes[side].present ? fmt::format(" {:+.1f}", row.changes[side].value) : " -";
    result.push_back(line);
  }
  return result;
}

struct ComparisonTest : ::testing::Test {
  ComparisonTest() {
    was.add("parse", 50);
    was.add("gone", 10);
    was.add("same", 40);
    is.add("same", 40);
    is.add("fresh", 30);
    is.add("parse", 30);
  }
  std::vector<std::string> compare(const ComparisonRequest& request) {
    return lines(Comparison({&was.table(), &is.table()}, request));
  }
  DiffedRecording was{"was"}, is{"another"};
};

TEST_F(ComparisonTest, JoinsByNameTheLargestChangeFirst) {
  EXPECT_THAT(compare({}), ElementsAre("fresh 0 30 +30.0", "parse 50 30 -20.0", "same 40 40 +0.0", "gone 10 0 -"));
}

TEST_F(ComparisonTest, DeltaPutsGainsBeforeLosses) {
  EXPECT_THAT(compare({.rule = {.kind = ChangeKind::Delta}}),
              ElementsAre("fresh 0 30 +30.0", "same 40 40 +0.0", "parse 50 30 -20.0", "gone 10 0 -"));
}

TEST_F(ComparisonTest, RatiosToNothingComeLast) {
  EXPECT_THAT(compare({.rule = {.kind = ChangeKind::Ratio}}),
              ElementsAre("same 40 40 +1.0", "parse 50 30 +0.6", "fresh 0 30 +300.0", "gone 10 0 -"));
}

TEST_F(ComparisonTest, ByTheBaseline) {
  EXPECT_THAT(compare({.order = 0}),
              ElementsAre("parse 50 30 -20.0", "same 40 40 +0.0", "gone 10 0 -", "fresh 0 30 +30.0"));
}

TEST_F(ComparisonTest, BaselineOnlyKeepsWhatBothHave) {
  const Comparison comparison({&was.table(), &is.table()}, {.baseline_only = true});
  EXPECT_THAT(lines(comparison), ElementsAre("parse 50 30 -20.0", "same 40 40 +0.0"));
  EXPECT_EQ(comparison.whole(0).period, 900u);
}

TEST_F(ComparisonTest, AddressesWithoutNameAreOneRowOfTheirBinary) {
  was.add("0x300", 1);
  was.add("0x200", 1);
  is.add("0x900", 3);
  EXPECT_THAT(compare({.order = 0}), ::testing::Contains("0x200 2 3 +1.0"));
}

TEST_F(ComparisonTest, PlacesOfDifferentBuildsAreNotCompared) {
  DiffedRecording before("x"), after("y");
  before.add("app+0x100", 6), before.add("app+0x200", 4);
  after.add("app+0x100", 7), after.add("app+0x300", 3);
  EXPECT_THAT(lines(Comparison({&before.table(), &after.table()}, {.order = 0})),
              ElementsAre("app+0x100 6 7 +10.0", "app+0x200 4 0 -", "app+0x300 0 3 +30.0"));
  EXPECT_THAT(lines(Comparison({&before.table(), &after.table()}, {.order = 0, .rebuilt = {"app"}})),
              ElementsAre("app+0x100 10 10 +0.0"));
}

TEST_F(ComparisonTest, FewSamplesProveNothingManyDo) {
  const auto real = [](DiffedRecording& a, DiffedRecording& b) {
    std::vector<bool> result;
    const Comparison comparison({&a.table(), &b.table()}, {.order = 0});
    for (const ComparedRow& row : comparison.rows()) result.push_back(row.changes[1].real);
    return result;
  };
  DiffedRecording few_was("x"), few_is("y"), many_was("x"), many_is("y");
  few_was.add("hot", 6), few_was.add("rest", 4), few_is.add("hot", 4), few_is.add("rest", 6);
  many_was.add("hot", 600), many_was.add("rest", 400), many_is.add("hot", 400), many_is.add("rest", 600);
  EXPECT_THAT(real(few_was, few_is), ElementsAre(false, false));
  EXPECT_THAT(real(many_was, many_is), ElementsAre(true, true));
}

TEST(Change, IntervalHoldsTheChangeAndNarrowsWithSamples) {
  const ChangeRule delta;
  const auto few = interval_of(delta, {60, 6}, {100, 10}, {40, 4}, {100, 10});
  const auto many = interval_of(delta, {6000, 600}, {10000, 1000}, {4000, 400}, {10000, 1000});
  ASSERT_TRUE(few && many);
  // Agresti–Caffo by hand: shares 7/12 and 5/12, 1.96 · √(2 · (7/12)(5/12)/12).
  EXPECT_NEAR(few->low, -56.1, 0.1);
  EXPECT_NEAR(few->high, 22.8, 0.1);
  EXPECT_LT(many->high, 0);
  EXPECT_GT(many->low, -25);
}

TEST(Change, RatioIntervalIsByTheCounts) {
  const auto bounds = interval_of({.kind = ChangeKind::Ratio}, {100, 100}, {1000, 1000}, {200, 200}, {1000, 1000});
  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->low, 1.573, 0.01);  // 2 / exp(1.96 · √(1/100 + 1/200))
  EXPECT_NEAR(bounds->high, 2.543, 0.01);
  EXPECT_FALSE(interval_of({.kind = ChangeKind::Ratio}, {0, 0}, {1000, 1000}, {200, 200}, {1000, 1000}));
}

TEST(Change, WeightedDifferencesOfLargePeriodsDoNotOverflow) {
  const ChangeRule rule{.kind = ChangeKind::Weighted, .old_weight = 2, .new_weight = 3};
  EXPECT_EQ(change_of(rule, {.period = 5}, {}, {.period = 7}, {}), 11);
  EXPECT_DOUBLE_EQ(change_of(rule, {.period = ~u64{0}}, {}, {.period = 0}, {}), -2 * 18446744073709551615.0);
  EXPECT_FALSE(std::signbit(change_of({.kind = ChangeKind::Weighted}, {.period = 1}, {}, {}, {})));
}

}  // namespace
}  // namespace peregrine
