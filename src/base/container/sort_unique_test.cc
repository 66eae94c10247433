#include "base/container/sort_unique.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace peregrine {
namespace {

TEST(SortUnique, KeepsOneOfEachInOrder) {
  std::vector<std::string> names = {"b", "a", "b", "c", "a"};
  sort_unique(names);
  EXPECT_THAT(names, ::testing::ElementsAre("a", "b", "c"));
  std::vector<int> none;
  sort_unique(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace peregrine
