#include "base/container/string_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace peregrine {
namespace {

TEST(StringPool, EqualStringsShareAnId) {
  StringPool pool;
  const StringId a = pool.intern("libc.so.6");
  const StringId b = pool.intern(std::string("libc.so") + ".6");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, pool.intern("libm.so.6"));
  EXPECT_EQ(pool.view(a), "libc.so.6");
  EXPECT_FALSE(pool.find("absent").valid());
}

TEST(StringPool, ViewsSurviveGrowth) {
  StringPool pool;
  const StringId first = pool.intern("first");
  const std::string_view view = pool.view(first);
  for (int i = 0; i < 100000; ++i) pool.intern(std::to_string(i));
  EXPECT_EQ(view, "first");
  EXPECT_EQ(pool.size(), 100001u);
}

}  // namespace
}  // namespace peregrine
