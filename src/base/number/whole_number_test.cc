#include "base/number/whole_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace peregrine {
namespace {

TEST(WholeNumber, DropsTheFraction) {
  EXPECT_EQ(whole_number(0), 0u);
  EXPECT_EQ(whole_number(2.9), 2u);
  EXPECT_EQ(whole_number(9007199254740993.0), 9007199254740992u);
}

TEST(WholeNumber, ClampsWhatDoesNotFit) {
  constexpr u64 kMost = std::numeric_limits<u64>::max();
  EXPECT_EQ(whole_number(static_cast<double>(kMost)), kMost);
  EXPECT_EQ(whole_number(std::numeric_limits<double>::infinity()), kMost);
  EXPECT_EQ(whole_number(-1.5), 0u);
  EXPECT_EQ(whole_number(std::numeric_limits<double>::quiet_NaN()), 0u);
}

}  // namespace
}  // namespace peregrine
