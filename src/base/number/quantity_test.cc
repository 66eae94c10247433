#include "base/number/quantity.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

using std::chrono::seconds;

TEST(Bytes, HaveAUnit) {
  EXPECT_EQ(parse_bytes("1B"), 1u);
  EXPECT_EQ(parse_bytes("10K"), 10240u);
  EXPECT_EQ(parse_bytes("3M"), 3u << 20);
  EXPECT_EQ(parse_bytes("2G"), u64{2} << 30);
  for (const char* wrong : {"", "10", "0K", "K", "1k", "1KB", "-1K", "1.5M", " 1K", "99999999999G"}) {
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
  }
}

TEST(Seconds, HaveAUnit) {
  EXPECT_EQ(parse_seconds("30s"), seconds(30));
  EXPECT_EQ(parse_seconds("2m"), seconds(120));
  EXPECT_EQ(parse_seconds("1h"), seconds(3600));
  EXPECT_EQ(parse_seconds("1d"), seconds(86400));
  for (const char* wrong : {"", "30", "0s", "1w", "s", "1ms", "1000d"}) EXPECT_FALSE(parse_seconds(wrong)) << wrong;
}

}  // namespace
}  // namespace peregrine
