#include "sys/process/user.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(User, AcceptsNamesAndNumbers) {
  EXPECT_EQ(user_number("root").value_or(""), "0");
  EXPECT_EQ(user_number("1234").value_or(""), "1234");
  EXPECT_EQ(user_number("007").value_or(""), "7");
}

TEST(User, RejectsUnknownNames) {
  const auto unknown = user_number("12monkeys");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "Invalid User: 12monkeys");
}

}  // namespace
}  // namespace peregrine
