#include "base/text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Words, AreSeparatedByCommas) {
  EXPECT_THAT(split_words("a,b c,d"), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(split_words("10:20", ':'), ElementsAre("10", "20"));
}

TEST(Words, OmitEmptyOnes) {
  EXPECT_THAT(split_words(",a,,b,"), ElementsAre("a", "b"));
  EXPECT_THAT(split_words(""), IsEmpty());
}

TEST(Words, AreAddedToASet) {
  std::set<std::string> set{"c"};
  add_words(set, "b,a,b");
  EXPECT_THAT(set, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace peregrine
