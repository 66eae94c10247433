#include "output/csv/csv_text.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(CsvField, IsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(csv_field("main"), "main");
  EXPECT_EQ(csv_field("operator,"), "\"operator,\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field(" padded"), "\" padded\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(CsvField, IsQuotedWhereItHasTheSeparator) {
  EXPECT_EQ(csv_field("a;b", ";"), "\"a;b\"");
  EXPECT_EQ(csv_field("a;b"), "a;b");
  EXPECT_EQ(csv_field("a::b:c", "::"), "\"a::b:c\"");
  EXPECT_EQ(csv_field("a:b", "::"), "a:b");
}

TEST(CsvField, StaysOnItsLine) { EXPECT_EQ(csv_field("a\nb\x1b\xff"), "a\\x0ab\\x1b\\xff"); }

}  // namespace
}  // namespace peregrine
