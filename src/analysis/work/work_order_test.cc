#include "analysis/work/work_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

std::vector<u64> ids_in_order(std::string_view words, KernelWork::Sum sum) {
  std::vector<WorkRow> rows = {{.id = 1, .count = 4, .total = 40, .most = 20},
                               {.id = 2, .count = 1, .total = 30, .most = 30},
                               {.id = 3, .count = 4, .total = 20, .most = 20}};
  const auto keys = parse_work_keys(words, sum);
  EXPECT_TRUE(keys);
  sort_work(rows, *keys);
  std::vector<u64> ids;
  for (const WorkRow& row : rows) ids.push_back(row.id);
  return ids;
}

TEST(WorkOrder, SortsByTheFirstKeyThatDiffers) {
  EXPECT_THAT(ids_in_order("max,runtime", KernelWork::Sum::Runtimes), ElementsAre(2, 1, 3));
  EXPECT_THAT(ids_in_order("count,max", KernelWork::Sum::Runtimes), ElementsAre(1, 3, 2));
}

TEST(WorkOrder, SortsByTheTablesFirstColumnWithoutKeys) {
  EXPECT_THAT(ids_in_order("", KernelWork::Sum::Runtimes), ElementsAre(1, 2, 3));
  EXPECT_THAT(ids_in_order("", KernelWork::Sum::Delays), ElementsAre(2, 1, 3));
}

TEST(WorkOrder, NamesTheKeysOfTheTable) {
  const auto keys = parse_work_keys("avg", KernelWork::Sum::Runtimes);
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error().message, "Unknown --sort key: `avg'");
  EXPECT_EQ(keys.error().hint, "must be one of runtime, max, count");
}

TEST(WorkOrder, TakesAllKindsIfNoneIsNamed) {
  EXPECT_THAT(*parse_work_kinds(""), ElementsAre(true, true, true));
  EXPECT_THAT(*parse_work_kinds("softirq"), ElementsAre(false, true, false));
  EXPECT_FALSE(parse_work_kinds("softirq,sched"));
}

TEST(WorkOrder, SortsTasksByRunTimeOrTid) {
  std::vector<TaskUsage> tasks = {{.tid = 5, .runtime = 10}, {.tid = 3, .runtime = 10}, {.tid = 9, .runtime = 20}};
  const auto order = [&](std::string_view words) {
    std::vector<TaskUsage> sorted = tasks;
    sort_usage(sorted, *parse_usage_keys(words));
    return std::vector<u32>{sorted[0].tid, sorted[1].tid, sorted[2].tid};
  };
  EXPECT_THAT(order("rate"), ElementsAre(9, 5, 3));
  EXPECT_THAT(order("rate,tid"), ElementsAre(9, 3, 5));
  EXPECT_THAT(order("tid"), ElementsAre(3, 5, 9));
}

}  // namespace
}  // namespace peregrine
