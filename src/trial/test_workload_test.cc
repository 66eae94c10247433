#include "trial/test_workload.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace peregrine {
namespace {

Error workload_mistake(const std::vector<std::string>& words) {
  const auto ran = run_test_workload(words);
  return ran ? Error{ErrorKind::System, "it ran"} : ran.error();
}

TEST(TestWorkload, EachHasANameASummaryAndAnAmount) {
  std::set<std::string_view> names;
  for (const TestWorkload& workload : test_workloads()) {
    EXPECT_TRUE(names.insert(workload.name).second) << workload.name << " is there twice";
    EXPECT_FALSE(workload.summary.empty()) << workload.name;
    EXPECT_GT(workload.usual, 0) << workload.name;
  }
  for (const char* name : {"noploop", "thloop", "leafloop", "sqrtloop", "brstack", "datasym", "inlineloop", "landlock"})
    EXPECT_TRUE(names.contains(name)) << name << ", which linux-perf has too";
}

TEST(TestWorkload, RunsTheAmountThatIsGiven) {
  for (const TestWorkload& workload : test_workloads()) {
    const std::vector<std::string> words = {std::string(workload.name), "0"};
    const auto ran = run_test_workload(words);
    EXPECT_TRUE(ran) << workload.name << ": " << ran.error().message;
  }
}

TEST(TestWorkload, SuggestsANameForAMistypedOne) {
  const Error mistyped = workload_mistake({"nooploop"});
  EXPECT_EQ(mistyped.kind, ErrorKind::Usage);
  EXPECT_EQ(mistyped.message, "unknown workload 'nooploop'");
  EXPECT_EQ(mistyped.hint, "did you mean 'noploop'?");
  EXPECT_EQ(workload_mistake({"data"}).hint, "did you mean 'datasym'?") << "the beginning of a name";
}

TEST(TestWorkload, ListsAllWhenNoneIsNear) {
  const Error none = workload_mistake({});
  EXPECT_EQ(none.message, "unknown workload ''");
  std::string all;
  for (const TestWorkload& workload : test_workloads())
    all += (all.empty() ? "must be one of " : ", ") + std::string(workload.name);
  EXPECT_EQ(none.hint, all);
}

TEST(TestWorkload, RefusesAnAmountThatIsNotANumber) {
  const Error wrong = workload_mistake({"noploop", "long"});
  EXPECT_EQ(wrong.kind, ErrorKind::Usage);
  EXPECT_EQ(wrong.message, "invalid amount 'long'");
  EXPECT_EQ(workload_mistake({"calls", ""}).message, "invalid amount ''");
}

}  // namespace
}  // namespace peregrine
