#include "output/csv/lock_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr u32 kMutexFlags = 32;

LockRow waited_mutex() {
  return {.key = 0xffff8881,
          .name = "files",
          .flags = kMutexFlags,
          .acquired = 9,
          .contended = 2,
          .waits = 2,
          .total = 3000,
          .most = 2000,
          .least = 1000};
}

std::string lock_csv(const std::vector<LockRow>& rows, const LockTable& table, std::string_view separator = ",") {
  Sink out;
  print_lock_csv(rows, table, separator, out);
  return out.take();
}

TEST(LockCsv, HasTitlesAndTimesInNanoseconds) {
  const LockTable table{.columns = {LockColumn::Acquired, LockColumn::Contended, LockColumn::Average, LockColumn::Total,
                                    LockColumn::Most, LockColumn::Least}};
  EXPECT_EQ(lock_csv({waited_mutex()}, table),
            "# output: acquired, contended, avg wait, total wait, max wait, min wait, address, symbol, type\n"
            "9, 2, 1500, 3000, 2000, 1000, 0xffff8881, files, mutex\n");
}

TEST(LockCsv, ALockThatNobodyWaitedForHasAnAverageOfZero) {
  LockRow row = waited_mutex();
  row.waits = 0;
  EXPECT_EQ(lock_csv({row}, {.columns = {LockColumn::Average}, .titles = false}), "0, 0xffff8881, files, mutex\n");
}

TEST(LockCsv, WithoutRowsOnlyTheTitlesAreLeft) {
  EXPECT_EQ(lock_csv({}, {.columns = {LockColumn::Total}, .by = LockBy::Cgroup}), "# output: total wait, cgroup\n");
  EXPECT_EQ(lock_csv({}, {.columns = {LockColumn::Total}, .titles = false}), "");
}

TEST(LockCsv, TheValuesThatNameARowDependOnWhatRowsAre) {
  LockRow task = waited_mutex();
  task.key = 0xffffffff;  // tids are signed
  task.name = "load";
  const auto of = [&](LockBy by) { return lock_csv({task}, {.columns = {LockColumn::Contended}, .by = by}); };
  EXPECT_EQ(of(LockBy::Task), "# output: contended, pid, comm\n2, -1, load\n");
  EXPECT_EQ(of(LockBy::Cgroup), "# output: contended, cgroup\n2, load\n");
  EXPECT_EQ(of(LockBy::Caller), "# output: contended, type, caller\n2, mutex, load\n");
}

TEST(LockCsv, LocksOfUserSpaceAreMarked) {
  LockRow row = waited_mutex();
  row.type = "condvar";
  const LockTable table{.columns = {LockColumn::Contended}, .by = LockBy::Caller, .titles = false};
  EXPECT_EQ(lock_csv({row}, table), "2, user:condvar, files\n");
  EXPECT_EQ(lock_csv({row}, table, ":"), "2: user_condvar: files\n") << "a separator in a type would move values";
}

TEST(LockCsv, NoNameMovesTheValuesBehindIt) {
  LockRow row = waited_mutex();
  row.name = "a,b,,c\n\x1b[2J";
  const LockTable table{.columns = {LockColumn::Contended}, .by = LockBy::Cgroup, .titles = false};
  EXPECT_EQ(lock_csv({row}, table), "2, a_b__c\\x0a\\x1b[2J\n");
  row.name = "a::b:c";
  EXPECT_EQ(lock_csv({row}, table, "::"), "2:: a_b:c\n");
}

TEST(LockCsv, AStackIsOneValueWithoutTheBlanksOfItsColumns) {
  LockRow row = waited_mutex();
  row.stack = {"0xffffffff810010a0  down_write+0x10", "0x12   ", "0x13  f,g"};
  EXPECT_EQ(lock_csv({row}, {.columns = {}, .by = LockBy::Caller, .stacks = true}),
            "# output: type, caller, stacktrace\n"
            "mutex, files, 0xffffffff810010a0  down_write+0x10;0x12;0x13  f_g\n");
  row.stack.clear();
  EXPECT_EQ(lock_csv({row}, {.columns = {}, .by = LockBy::Caller, .stacks = true, .titles = false}),
            "mutex, files, \n");
}

TEST(LockCsv, ShowsNoMoreRowsThanRequested) {
  LockRow second = waited_mutex();
  second.name = "second";
  const std::vector<LockRow> rows{waited_mutex(), second};
  LockTable table{.columns = {}, .by = LockBy::Cgroup, .lines = 1, .titles = false};
  EXPECT_EQ(lock_csv(rows, table), "files\n");
  table.lines = 0;
  EXPECT_EQ(lock_csv(rows, table), "");
}

}  // namespace
}  // namespace peregrine
