#include "output/text/kernel/lock_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace peregrine {
namespace {

LockRow contended_lock(std::string name) {
  return {.key = 0xffff8881,
          .name = std::move(name),
          .flags = 1,
          .acquired = 12,
          .contended = 3,
          .waits = 3,
          .total = 4'500'000,
          .most = 2'000'000,
          .least = 999};
}

std::string lock_report(const std::vector<LockRow>& rows, const LockTable& table) {
  Sink out;
  print_lock_report(rows, table, out);
  return out.take();
}

std::string lock_contention(const std::vector<LockRow>& rows, const LockTable& table) {
  Sink out;
  print_lock_contention(rows, table, out);
  return out.take();
}

TEST(LockReport, NamesComeFirstAndTimesHaveTheirUnits) {
  const LockTable table{.columns = {LockColumn::Acquired, LockColumn::Contended, LockColumn::Average, LockColumn::Total,
                                    LockColumn::Most, LockColumn::Least}};
  EXPECT_EQ(lock_report({contended_lock("files")}, table),
            "                Name   acquired  contended     avg wait   total wait     max wait     min wait \n\n"
            "               files         12          3      1.50 ms      4.50 ms      2.00 ms       999 ns \n");
}

TEST(LockReport, ChoosesTheLargestUnitThatGivesAtLeastOne) {
  const auto total = [](u64 ns) {
    LockRow row;
    row.total = ns;
    return lock_report({row}, {.columns = {LockColumn::Total}, .titles = false}).substr(21);
  };
  EXPECT_EQ(total(0), "        0 ns \n");
  EXPECT_EQ(total(999), "      999 ns \n");
  EXPECT_EQ(total(1000), "     1.00 us \n");
  EXPECT_EQ(total(1'500'000), "     1.50 ms \n");
  EXPECT_EQ(total(1'000'000'000), "     1.00 s  \n");
  EXPECT_EQ(total(90'000'000'000), "     1.50 m  \n");
  EXPECT_EQ(total(7'200'000'000'000), "     2.00 h  \n");
}

TEST(LockReport, TheColumnOfNamesGrowsWithTheLongestName) {
  const std::string longest(40, 'x');
  EXPECT_EQ(lock_report({contended_lock("a\n"), contended_lock(longest)}, {.columns = {LockColumn::Contended}}),
            "                                     Name  contended \n\n"
            "                                    a\\x0a          3 \n"
            " xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx          3 \n");
}

TEST(LockReport, NamesOutsideAsciiDoNotShiftTheNumbers) {
  EXPECT_EQ(lock_report({contended_lock("größe"), contended_lock("grosse")}, {.columns = {LockColumn::Contended}}),
            "                Name  contended \n\n"
            "               größe          3 \n"
            "              grosse          3 \n");
}

TEST(LockReport, RowsBeyondTheLimitDoNotWidenTheColumn) {
  const std::vector<LockRow> rows{contended_lock("short"), contended_lock(std::string(40, 'x'))};
  EXPECT_EQ(lock_report(rows, {.columns = {}, .lines = 1, .titles = false}), "               short \n");
  EXPECT_EQ(lock_report(rows, {.columns = {}, .lines = 0}), "                Name \n\n");
}

TEST(LockContention, NumbersComeFirstThenTypeAndCaller) {
  LockRow user = contended_lock("main+0x4");
  user.type = "condvar";
  EXPECT_EQ(lock_contention({contended_lock("do_sys_open+0x10"), user},
                            {.columns = {LockColumn::Contended, LockColumn::Total}, .by = LockBy::Caller}),
            " contended   total wait         type   caller\n\n"
            "         3      4.50 ms     spinlock   do_sys_open+0x10\n"
            "         3      4.50 ms      condvar   main+0x4\n");
}

TEST(LockContention, ColumnsDependOnTheKindOfRows) {
  LockRow row = contended_lock("load");
  const auto of = [&](LockBy by) { return lock_contention({row}, {.columns = {}, .by = by}); };
  EXPECT_EQ(of(LockBy::Lock), "        type   lock\n\n    spinlock   0xffff8881  load\n");
  EXPECT_EQ(of(LockBy::Cgroup), "  cgroup\n\n  load\n");
  row.key = 4711;
  EXPECT_EQ(of(LockBy::Task), "         pid   comm\n\n        4711   load\n");
  row.flags = 0x8000;
  EXPECT_EQ(of(LockBy::Caller), "        type   caller\n\n     unknown   load\n");
}

TEST(LockContention, StacksFollowTheirRow) {
  LockRow row = contended_lock("load");
  row.stack = {"0x1  down_write", "0x2  \x1b[31mevil"};
  EXPECT_EQ(lock_contention({row, contended_lock("next")},
                            {.columns = {}, .by = LockBy::Cgroup, .stacks = true, .titles = false}),
            "  load\n\t\t\t0x1  down_write\n\t\t\t0x2  \\x1b[31mevil\n  next\n");
}

TEST(LockContention, ShowsNoMoreRowsThanRequested) {
  EXPECT_EQ(lock_contention({contended_lock("a"), contended_lock("b")},
                            {.columns = {}, .by = LockBy::Cgroup, .lines = 1, .titles = false}),
            "  a\n");
}

}  // namespace
}  // namespace peregrine
