#include "session/diff/diff_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

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
