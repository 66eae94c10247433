#include "output/text/report/key_look.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/metric.h"
#include "output/text/report/metric_cell.h"

namespace peregrine {
namespace {

TEST(KeyLook, TitlesAreMadeOfTheNameUnlessTheTableHasOne) {
  constexpr SortKeySpec kPlain{.name = "private_weight"};
  EXPECT_EQ(title_of({}, kPlain), "Private Weight");
  EXPECT_EQ(least_width({}, kPlain), 14u);
  EXPECT_EQ(title_of({}, SortKey::Comm), "Command");
  EXPECT_EQ(title_of({}, SortKey::Socket), "Socket");
}

TEST(KeyLook, IdsStandBeforeTheNamesOfTheirThreads) {
  EXPECT_EQ(title_of({}, SortKey::Pid), "    Pid:Command");
  EXPECT_EQ(title_of({}, SortKey::Process), "   Tgid:Command");
}

TEST(KeyLook, EachRowOfTheTableIsOfAKey) {
  std::size_t of_table = 0;
  for (const SortKeySpec& row : all_sort_keys())
    if (look_of(row).key == row.name) ++of_table;
  EXPECT_EQ(of_table, key_looks().size());
}

TEST(KeyLook, FieldsAreWideEnoughForTheirLargestValue) {
  const Columns columns{.fields = {{.name = "pid", .size = 8},
                                   {.name = "comm", .size = 200, .is_string = true},
                                   {.name = "a_long_name"}}};
  EXPECT_EQ(least_width(columns, dynamic_key(0)), 18u) << "0x and 16 digits";
  EXPECT_EQ(least_width(columns, dynamic_key(1)), 64u);
  EXPECT_EQ(least_width(columns, dynamic_key(2)), 11u);
  EXPECT_TRUE(look_of(dynamic_key(0)).right);
}

TEST(KeyLook, LinesOfSamplesEndTheirRowButThoseOfBranchesDoNot) {
  const auto key = [](std::string_view name) {
    return parse_columns({.sort = std::string(name), .branches = true})->keys.at(0);
  };
  EXPECT_FALSE(is_padded(key("srcline")));
  EXPECT_TRUE(is_padded(key("srcline_from")));
  EXPECT_FALSE(is_padded(key("trace")));
  EXPECT_FALSE(is_padded(key("time")));
  EXPECT_TRUE(is_padded(key("comm")));
}

TEST(MetricTitle, PartsStandBelowTheTitleOfTheirBreakdown) {
  EXPECT_EQ(metric_title(access_part(0)), "Mem Op Load");
  EXPECT_EQ(metric_title(access_part(kAccessParts - 1)), "D-TLB Other");
  for (const Breakdown& each : all_breakdowns()) {
    const Metric last = access_part(each.first + each.count - 1);
    EXPECT_EQ(metric_title(last), std::string(breakdown_title(each)) + " Other") << "what fits nowhere comes last";
  }
}

}  // namespace
}  // namespace peregrine
