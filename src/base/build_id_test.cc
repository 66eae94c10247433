#include "base/build_id.h"

#include <gtest/gtest.h>

#include <vector>

namespace peregrine {
namespace {

TEST(BuildId, RoundTripsThroughHex) {
  const auto id = BuildId::parse("00ff10Ab");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->size, 4);
  EXPECT_EQ(id->hex(), "00ff10ab");
  EXPECT_FALSE(BuildId::parse(""));
  EXPECT_FALSE(BuildId::parse("abc"));
  EXPECT_FALSE(BuildId::parse("../../etc"));
  EXPECT_FALSE(BuildId::parse(std::string(42, 'a')));
}

TEST(BuildId, KeepsTwentyBytesAndTreatsZeroesAsUnknown) {
  const std::vector<std::byte> raw(32, std::byte{7});
  EXPECT_EQ(BuildId::from_bytes(raw).size, 20);
  EXPECT_TRUE(BuildId::from_bytes(std::vector<std::byte>(20)).empty());
  EXPECT_TRUE(BuildId::from_bytes({}).empty());
}

TEST(BuildId, ShorterIdMatchesItsZeroPaddedRecord) {
  std::vector<std::byte> raw(20);
  raw[0] = std::byte{0xab};
  const BuildId padded = BuildId::from_bytes(raw);
  const BuildId exact = *BuildId::parse("ab000000");
  EXPECT_NE(padded, exact);
  EXPECT_TRUE(padded.matches(exact));
}

}  // namespace
}  // namespace peregrine
