#include "analysis/forget_older_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr auto kValueIsTime = [](const auto& entry) { return entry.second; };

TEST(ForgetOlderHalf, KeepsTheNewest) {
  std::map<int, u64> times = {{1, 40}, {2, 10}, {3, 30}, {4, 20}, {5, 50}};
  EXPECT_EQ(forget_older_half(times, kValueIsTime), 3u);
  EXPECT_THAT(times, ElementsAre(Pair(1, 40u), Pair(5, 50u)));
}

TEST(ForgetOlderHalf, MakesRoomAlsoIfAllAreOfOneTime) {
  std::map<int, u64> times = {{1, 7}, {2, 7}};
  EXPECT_EQ(forget_older_half(times, kValueIsTime), 2u);
  EXPECT_EQ(forget_older_half(times, kValueIsTime), 0u) << "of none";
}

}  // namespace
}  // namespace peregrine
