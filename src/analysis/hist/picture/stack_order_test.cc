#include "analysis/hist/picture/stack_order.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace peregrine {
namespace {

// main ─ a ─ c
//      └ b, added in this order …
StackProfile met_from_a() {
  return {.texts = {"", "all", "main", "prog", "a", "c", "b"},
          .frames = {{1, 0}, {2, 3}, {4, 3}, {5, 3}, {6, 3}},
          .stacks = {{0, 0}, {0, 1}, {1, 2}, {2, 3}, {1, 4}}};
}
// … and in this order.
StackProfile met_from_b() {
  return {.texts = {"", "all", "b", "prog", "main", "c", "a"},
          .frames = {{1, 0}, {4, 3}, {2, 3}, {6, 3}, {5, 3}},
          .stacks = {{0, 0}, {0, 1}, {1, 2}, {1, 3}, {3, 4}}};
}

TEST(StackOrder, IsThatOfNamesDepthFirst) {
  StackProfile profile = met_from_b();
  const std::vector<u32> place = order_stacks(profile);
  EXPECT_EQ(profile.texts, (std::vector<std::string>{"", "a", "all", "b", "c", "main", "prog"}));
  std::vector<std::string_view> names;
  for (const Stack& stack : profile.stacks) names.push_back(profile.name(stack.frame));
  EXPECT_EQ(names, (std::vector<std::string_view>{"all", "main", "a", "c", "b"}));
  EXPECT_EQ(place, (std::vector<u32>{0, 1, 4, 2, 3})) << "where each stack went";
  for (std::size_t at = 1; at < profile.stacks.size(); ++at) EXPECT_LT(profile.stacks[at].parent, at);
}

TEST(StackOrder, DoesNotDependOnWhichStackWasMetFirst) {
  StackProfile one = met_from_a(), other = met_from_b();
  order_stacks(one);
  order_stacks(other);
  EXPECT_EQ(one.texts, other.texts);
  EXPECT_EQ(one.frames, other.frames);
  EXPECT_EQ(one.stacks, other.stacks);
}

}  // namespace
}  // namespace peregrine
