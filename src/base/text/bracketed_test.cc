#include "base/text/bracketed.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Bracketed, IsTheChosenValue) {
  EXPECT_EQ(bracketed("[local] global mono\n"), "local");
  EXPECT_EQ(bracketed("none [integrity] confidentiality"), "integrity");
  EXPECT_EQ(bracketed("a] b [c]"), "c");
  for (const char* text : {"", "plain", "[open", "close]", "[]"}) EXPECT_EQ(bracketed(text), "") << text;
}

}  // namespace
}  // namespace peregrine
