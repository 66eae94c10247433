#include "session/lock/lock_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

LockRow waited_row(std::string name, u64 total) {
  return {.name = std::move(name), .contended = 1, .waits = 1, .total = total, .most = total, .least = total};
}

TEST(LockColumns, AddsTheKeyIfItIsNotShown) {
  using enum LockColumn;
  const LockColumnChoice usual{.usual = {Contended, Total}, .usual_key = "wait_total"};
  EXPECT_THAT(choose_columns(usual)->shown, ElementsAre(Contended, Total));
  LockColumnChoice by_longest = usual;
  by_longest.key = "wait_max";
  by_longest.fields = "contended";
  const auto columns = choose_columns(by_longest);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->key, Most);
  EXPECT_THAT(columns->shown, ElementsAre(Contended, Most));
}

TEST(LockColumns, RefusesUnknownFieldsAndKeys) {
  EXPECT_EQ(choose_columns({.fields = "wait", .usual_key = "acquired"}).error().message, "Unknown output field: wait");
  EXPECT_EQ(choose_columns({.key = "wait", .usual_key = "acquired"}).error().message, "Unknown compare key: wait");
}

TEST(LockColumns, OfWaitsDoNotIncludeAcquired) {
  const auto refused = choose_columns({.key = "acquired", .usual_key = "wait_total", .waits_only = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "Unknown compare key: acquired");
  EXPECT_EQ(refused.error().hint, "must be one of contended, avg_wait, wait_total, wait_max, wait_min");
}

TEST(LockTables, SortsWaitsAndLeavesOutRowsWithoutAny) {
  using enum LockColumn;
  Sink out;
  const LockTable table{.columns = {Total}, .by = LockBy::Caller};
  ASSERT_TRUE(write_contention({.kernel = {waited_row("short", 10), waited_row("none", 0), waited_row("long", 20)}},
                               table, Total, {}, out));
  const std::string text = out.take();
  const std::size_t first = text.find("long"), second = text.find("short");
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(first, second);
  EXPECT_THAT(text, Not(HasSubstr("none")));
}

TEST(LockTables, WritesValuesOfBothTablesIntoTheFile) {
  using enum LockColumn;
  const TemporaryFolder folder;
  Sink out;
  const LockTable table{.columns = {Total}, .by = LockBy::Caller};
  WatchedLocks waits{.kernel = {waited_row("in_kernel", 10)}, .user = {{waited_row("in_user", 20)}}};
  ASSERT_TRUE(write_contention(std::move(waits), table, Total, {.path = folder.path("locks"), .separator = ";"}, out));
  EXPECT_EQ(out.take(), "");
  const std::string text = folder.text("locks");
  EXPECT_THAT(text, HasSubstr("in_kernel"));
  EXPECT_THAT(text, HasSubstr("in_user"));
  EXPECT_EQ(text.find("# output"), text.rfind("# output"));
}

}  // namespace
}  // namespace peregrine
