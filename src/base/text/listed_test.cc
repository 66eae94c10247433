#include "base/text/listed.h"

#include <gtest/gtest.h>

#include <vector>

namespace peregrine {
namespace {

TEST(Listed, CountsNamesAboveTheLimit) {
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_EQ(listed({}, 2), "");
  EXPECT_EQ(listed(std::span(names).first(1), 2), "a");
  EXPECT_EQ(listed(std::span(names).first(2), 2), "a, b");
  EXPECT_EQ(listed(names, 2), "a, b and 1 more");
  EXPECT_EQ(listed(names, 1), "a and 2 more");
}

}  // namespace
}  // namespace peregrine
