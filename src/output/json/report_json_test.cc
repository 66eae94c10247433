#include "output/json/report_json.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace peregrine {
namespace {

TEST(ReportJson, WritesNothingBeforeTheFirstTable) {
  Sink out;
  ReportJson json(out);
  EXPECT_EQ(out.text(), "");
  json.finish();
  EXPECT_EQ(out.text(), "{\"tables\":[\n]}\n");
}

TEST(ReportJson, WritesNullForWhatIsNoFiniteNumber) {
  const std::vector<RowValue> row{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                                  1.5};
  NamedRows table{.event = "cycles", .names = {"a", "b", "c"}};
  table.size = 1;
  table.row = [&](std::size_t) { return &row; };
  Sink out;
  ReportJson json(out);
  json.print(table);
  json.finish();
  EXPECT_EQ(out.text(),
            "{\"tables\":[\n{\"event\":\"cycles\",\"samples\":0,\"period\":0,\"rows\":[\n{\"a\":null,\"b\":null,\"c\":"
            "1.5}]}\n]}\n");
}

}  // namespace
}  // namespace peregrine
