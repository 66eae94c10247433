#include "base/text/trim.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim("  a b\t\n"), "a b");
  EXPECT_EQ(trim("\f\va\r"), "a");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace peregrine
