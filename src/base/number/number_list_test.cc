#include "base/number/number_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NumberList, ExpandsRangesInAscendingOrderEachNumberOnce) {
  EXPECT_THAT(*parse_number_list("3-5,1"), ElementsAre(1u, 3u, 4u, 5u));
  EXPECT_THAT(*parse_number_list("2,1-3,2"), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(*parse_number_list("7-7"), ElementsAre(7u));
}

TEST(NumberList, SkipsEmptyParts) {
  EXPECT_THAT(*parse_number_list(""), IsEmpty());
  EXPECT_THAT(*parse_number_list(",1,,2,"), ElementsAre(1u, 2u));
}

TEST(NumberList, RejectsWhatIsNotANumberOrRange) {
  for (const char* wrong : {"x", "1x", "-1", "1-", "5-3", "1-2-3", " 1", "4294967296", "0-18446744073709551616"})
    EXPECT_FALSE(parse_number_list(wrong)) << wrong;
}

// The last 32-bit number once made `n <= last` true forever.
TEST(NumberList, EndsAtTheHighestNumber) {
  EXPECT_THAT(*parse_number_list("4294967295"), ElementsAre(4294967295u));
  EXPECT_THAT(*parse_number_list("4294967294-4294967295"), ElementsAre(4294967294u, 4294967295u));
}

TEST(NumberList, RejectsNumbersAboveTheLimitThatTheCallerNames) {
  EXPECT_THAT(*parse_number_list("0,65535", 65535), ElementsAre(0u, 65535u));
  const auto above = parse_number_list("0,65530-65536", 65535);
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error().kind, ErrorKind::Usage);
  EXPECT_THAT(above.error().message, HasSubstr("65530-65536"));
}

TEST(NumberList, CountsBeforeItExpands) {
  EXPECT_EQ(parse_number_list("1-4194304")->size(), kLongestNumberList);
  EXPECT_FALSE(parse_number_list("0-4194304"));
  EXPECT_FALSE(parse_number_list("0-4294967295"));
  std::string repeated;
  for (int i = 0; i < 5; ++i) repeated += "0-1000000,";
  EXPECT_FALSE(parse_number_list(repeated));
  EXPECT_EQ(parse_number_list("0-65535", 65535)->size(), 65536u);
  EXPECT_FALSE(parse_number_list("0-65535,0", 65535)) << "no list can have more numbers than there are";
}

}  // namespace
}  // namespace peregrine
