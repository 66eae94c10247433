#include "output/text/format/grouped_number.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(GroupedNumber, GroupsDigitsByThree) {
  EXPECT_EQ(grouped_number(0), "0");
  EXPECT_EQ(grouped_number(999), "999");
  EXPECT_EQ(grouped_number(1'234'567), "1,234,567");
  EXPECT_EQ(grouped_number("-1234567.891", ","), "-1,234,567.891");
  EXPECT_EQ(grouped_number("1234", ""), "1234");
}

TEST(GroupedNumber, CountsThings) {
  EXPECT_EQ(grouped_count(1, "sample"), "1 sample");
  EXPECT_EQ(grouped_count(2'199, "sample"), "2,199 samples");
  EXPECT_EQ(grouped_count(0, "branch", "branches"), "0 branches");
}

}  // namespace
}  // namespace peregrine
