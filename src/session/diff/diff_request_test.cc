#include "session/diff/diff_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hist/key/sort_key.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

std::string refused_comparison(std::string_view text) {
  DiffRequest request;
  const auto chosen = choose_comparison(text, request);
  return chosen ? "" : chosen.error().message;
}

TEST(Comparison, IsOfPercentagePointsUnlessAnotherIsNamed) {
  DiffRequest request;
  ASSERT_TRUE(choose_comparison("wdiff:1,-2", request));
  EXPECT_EQ(request.rule.kind, ChangeKind::Weighted);
  EXPECT_EQ(request.rule.old_weight, 1);
  EXPECT_EQ(request.rule.new_weight, -2);
  ASSERT_TRUE(choose_comparison("cycles", request));
  EXPECT_TRUE(request.cycles);
  EXPECT_EQ(request.rule.kind, ChangeKind::DeltaAbsolute);
  ASSERT_TRUE(choose_comparison("ratio", request));
  EXPECT_FALSE(request.cycles);
  EXPECT_EQ(request.rule.kind, ChangeKind::Ratio);
}

TEST(Comparison, RefusesUnknownNamesAndWeights) {
  EXPECT_EQ(refused_comparison("mean"), "unknown comparison `mean'");
  EXPECT_EQ(refused_comparison(""), "unknown comparison `'");
  EXPECT_EQ(refused_comparison("delta:1"), "delta takes no weights: `1'");
  EXPECT_EQ(refused_comparison("wdiff:1"), "wdiff requires two weights, the baseline's first: wdiff:1,2");
  EXPECT_EQ(refused_comparison("wdiff:1,0"), "invalid weight '0'");
}

TEST(Comparison, OfCyclesNeedsBranchStacks) {
  const data::Evlist none;
  EXPECT_TRUE(check_branch_stacks({}, none, "a.data"));
  const auto checked = check_branch_stacks({.cycles = true}, none, "a.data");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "a.data has no branch stacks, which -c cycles compares");
  EXPECT_EQ(checked.error().hint, "record with: perf record -b");
}

TEST(DiffTimes, AreOfAllFilesWithoutAColon) {
  EXPECT_EQ(times_of_file("10%-20%", 0), "10%-20%");
  EXPECT_EQ(times_of_file("10%-20%", 2), "10%-20%");
}

TEST(DiffTimes, AreOfSingleFilesWithColons) {
  EXPECT_EQ(times_of_file("1,2:3,4", 0), "1,2");
  EXPECT_EQ(times_of_file("1,2:3,4", 1), "3,4");
  EXPECT_EQ(times_of_file("1,2:3,4", 2), "") << "a file without a span is read whole";
  EXPECT_EQ(times_of_file(":3,4", 0), "");
  EXPECT_EQ(times_of_file(":3,4", 1), "3,4");
}

TEST(DiffColumns, AreDsoAndSymbolByDefault) {
  EXPECT_THAT(diff_columns({})->keys, ElementsAre(SortKey::Dso, SortKey::Symbol));
  EXPECT_THAT(diff_columns({.sort = "comm"})->keys, ElementsAre(SortKey::Comm));
}

TEST(DiffColumns, AreThoseOfFunctionsForBranchesAndOfProgramsForStacks) {
  EXPECT_THAT(diff_columns({.cycles = true, .sort = "comm"})->keys, ElementsAre(SortKey::Dso, SortKey::Symbol));
  EXPECT_THAT(diff_columns({.by_stack = true})->keys, ElementsAre(SortKey::Comm));
}

TEST(DiffColumns, NeedAKeyThatIdentifiesRows) { EXPECT_FALSE(diff_columns({.sort = "overhead"})); }

}  // namespace
}  // namespace peregrine
