#include "trial/plan/memory_size.h"

#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

TEST(MemorySize, TakesUnitsInBothCases) {
  EXPECT_EQ(parse_memory_size("100").value_or(0), 100u);
  EXPECT_EQ(parse_memory_size("7B").value_or(0), 7u);
  EXPECT_EQ(parse_memory_size("64KB").value_or(0), u64{64} << 10);
  EXPECT_EQ(parse_memory_size("2mb").value_or(0), u64{2} << 20);
  EXPECT_EQ(parse_memory_size("1g").value_or(0), u64{1} << 30);
  EXPECT_EQ(parse_memory_size("1024TB").value_or(0), u64{1} << 50);
}

TEST(MemorySize, RejectsOtherTexts) {
  for (const char* wrong : {"", "0", "KB", "12x", "-1", "1 KB", "1.5MB", "1025TB", "99999999999999999999"}) {
    const auto size = parse_memory_size(wrong);
    ASSERT_FALSE(size) << wrong;
    EXPECT_EQ(size.error().kind, ErrorKind::Usage) << wrong;
    EXPECT_EQ(size.error().message, std::string("Invalid size:") + wrong);
  }
}

}  // namespace
}  // namespace peregrine
