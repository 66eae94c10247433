#include "event/vendor/event_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace peregrine::event_table {
namespace {

TEST(EventTable, UnpacksEveryTable) {
  for (const Table& table : std::span(kTables, kTableCount)) {
    const auto read = read_rows(table);
    ASSERT_TRUE(read) << table.name << ": " << read.error().message;
    ASSERT_EQ(read->rows.size(), table.count);
    EXPECT_TRUE(std::ranges::is_sorted(read->rows, {}, [](const Row& row) { return name_of(row.other); }))
        << table.name;
    const Row& last = read->rows.back();
    EXPECT_FALSE(last.other.empty()) << table.name;
    EXPECT_EQ(last.text.data() + last.text.size() + 1,
              reinterpret_cast<const char*>(read->bytes.data() + read->bytes.size()))
        << table.name << ": the texts end with the table";
  }
}

TEST(EventTable, SpellsNamesLikeTheVendor) {
  EXPECT_EQ(name_of("BR_INST_RETIRED:NEAR_CALL"), "br_inst_retired.near_call");
}

TEST(EventTable, DamagedTableIsAnError) {
  Table table = kTables[0];
  table.packed /= 2;
  EXPECT_FALSE(read_rows(table));
}

}  // namespace
}  // namespace peregrine::event_table
