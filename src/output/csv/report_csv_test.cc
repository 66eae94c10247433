#include "output/csv/report_csv.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/types.h"

namespace peregrine {
namespace {

std::string report_csv(const NamedRows& table, bool titles = true) {
  Sink out;
  print_report_csv(out, table, titles);
  return out.take();
}

TEST(ReportCsv, TitlesPrecedeRowsAndRowsBeginWithTheirEvent) {
  const std::vector<RowValue> row{75.5, std::string("load"), u64{750000}};
  NamedRows table{.event = "cpu-clock", .names = {"overhead", "comm", "period"}};
  table.size = 1;
  table.row = [&](std::size_t) { return &row; };
  EXPECT_EQ(report_csv(table), "event,overhead,comm,period\ncpu-clock,75.5,load,750000\n");
  EXPECT_EQ(report_csv(table, false), "cpu-clock,75.5,load,750000\n") << "of a second table";
}

TEST(ReportCsv, ATableWithoutRowsHasTitlesOnly) {
  EXPECT_EQ(report_csv({.event = "cycles", .names = {"comm"}}), "event,comm\n");
  EXPECT_EQ(report_csv({.event = "cycles"}, false), "");
}

TEST(ReportCsv, UnknownValuesAreEmpty) {
  const std::vector<RowValue> row{std::monostate(), std::string(), u64{1}, std::monostate()};
  NamedRows table{.event = "cycles", .size = 1};
  table.row = [&](std::size_t) { return &row; };
  EXPECT_EQ(report_csv(table, false), "cycles,,,1,\n");
}

TEST(ReportCsv, LeavesNonFiniteNumbersEmpty) {
  const std::vector<RowValue> row{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  NamedRows table{.event = "cycles", .size = 1};
  table.row = [&](std::size_t) { return &row; };
  EXPECT_EQ(report_csv(table, false), "cycles,,\n");
}

TEST(ReportCsv, WritesNumbersInFull) {
  const std::vector<RowValue> row{std::numeric_limits<u64>::max(), std::numeric_limits<i64>::min(), 100.0, 0.1};
  NamedRows table{.event = "cycles", .size = 1};
  table.row = [&](std::size_t) { return &row; };
  EXPECT_EQ(report_csv(table, false), "cycles,18446744073709551615,-9223372036854775808,100,0.1\n");
}

TEST(ReportCsv, LeavesOutHiddenRows) {
  const std::vector<RowValue> row{u64{2}};
  NamedRows table{.event = "cycles", .size = 3};
  table.row = [&](std::size_t at) { return at == 1 ? &row : nullptr; };
  EXPECT_EQ(report_csv(table, false), "cycles,2\n");
}

TEST(ReportCsv, QuotesEventsTitlesAndTexts) {
  const std::vector<RowValue> row{std::string("operator,(\"x\")"), std::string(" lead"), std::string("a\nb\x1b")};
  NamedRows table{.event = "{cycles,faults}", .names = {"overhead.a,b"}};
  table.size = 1;
  table.row = [&](std::size_t) { return &row; };
  EXPECT_EQ(report_csv(table),
            "event,\"overhead.a,b\"\n\"{cycles,faults}\",\"operator,(\"\"x\"\")\",\" lead\",a\\x0ab\\x1b\n");
}

}  // namespace
}  // namespace peregrine
