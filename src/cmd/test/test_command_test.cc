// Command lines of test that run no tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cmd/command_table.h"
#include "session/self_test/self_tests.h"
#include "support/called_command.h"
#include "trial/test_workload.h"

namespace peregrine::cmd {
namespace {

auto lines_in(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST(TestCommand, ListsEachTestWithItsNumber) {
  const Called list = called(kTest, {"list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(lines_in(list.printed), std::ssize(self_tests()));
  EXPECT_TRUE(list.printed.starts_with("  1: " + std::string(self_tests()[0].name) + "\n")) << list.printed;
}

TEST(TestCommand, ListsTestsByPartsOfTheirNames) {
  const std::string name(self_tests()[0].name);
  const Called one = called(kTest, {"list", name});
  EXPECT_NE(one.printed.find(": " + name + "\n"), std::string::npos);
  EXPECT_EQ(called(kTest, {"list", "1"}).printed, "  1: " + name + "\n") << "or by number";
}

TEST(TestCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(misuse_of(kTest, {"no such test"}), "no test matches 'no such test'; list tests with `test list`");
  EXPECT_EQ(misuse_of(kTest, {"list", "nothing", "here"}),
            "no test matches 'nothing here'; list tests with `test list`");
  for (const std::string wrong : {"x", "3-1"})
    EXPECT_EQ(misuse_of(kTest, {"-s", wrong, "list"}),
              "invalid -s '" + wrong + "': must be a list of numbers, such as 1,3-5");
}

TEST(TestCommand, ListsItsWorkloads) {
  const Called list = called(kTest, {"-w"});
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(lines_in(list.printed), std::ssize(test_workloads()));
  for (const TestWorkload& workload : test_workloads())
    EXPECT_NE(list.printed.find(std::string(workload.name) + " "), std::string::npos) << workload.name;
}

}  // namespace
}  // namespace peregrine::cmd
