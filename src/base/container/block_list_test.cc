#include "base/container/block_list.h"

#include <gtest/gtest.h>

#include <numeric>

namespace peregrine {
namespace {

std::vector<int> all_of(const BlockList<int, 4>& list) {
  std::vector<int> all;
  list.each([&](int value) { all.push_back(value); });
  return all;
}

TEST(BlockList, KeepsOrderOverItsBlocks) {
  BlockList<int, 4> list;
  EXPECT_TRUE(all_of(list).empty());
  std::vector<int> wanted(9);
  std::iota(wanted.begin(), wanted.end(), 5);
  for (const int value : wanted) list.push_back(value);
  EXPECT_EQ(list.size(), 9u);
  EXPECT_EQ(all_of(list), wanted);
  list.clear();
  EXPECT_EQ(list.size(), 0u);
  list.push_back(3);
  EXPECT_EQ(all_of(list), (std::vector<int>{3}));
}

}  // namespace
}  // namespace peregrine
