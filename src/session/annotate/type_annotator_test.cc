#include "session/annotate/type_annotator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TypeHits type_with(std::string name, u64 samples) {
  return {.name = std::move(name), .size = 8, .type = {}, .events = {{.total = {samples, samples}, .offsets = {}}}};
}

// "struct foo" with 90 samples and "struct bar" with 10; their members are unknown.
RecordedTypeHits two_types() {
  return {.types = {type_with("struct foo", 90), type_with("struct bar", 10)},
          .totals = {{100, 100}},
          .unknown = {},
          .instructions = {}};
}

struct TypeRows {
  u64 count = 0;
  std::string text;
};

TypeRows type_rows(const TypeRequest& request) {
  Sink out;
  TypeRows rows;
  rows.count = print_data_types(request, two_types(), {{0}}, {"cycles"}, data::Evlist(), out);
  rows.text = out.take();
  return rows;
}

TEST(DataTypes, AreRowsHottestFirst) {
  const TypeRows rows = type_rows({.format = "jsonl"});
  EXPECT_EQ(rows.count, 2u);
  EXPECT_LT(rows.text.find("struct foo"), rows.text.find("struct bar"));
}

TEST(DataTypes, AreNamedWithOrWithoutTheirKeyword) {
  for (const std::string name : {"bar", "struct bar"}) {
    const TypeRows rows = type_rows({.type = name, .format = "csv"});
    EXPECT_EQ(rows.count, 1u) << name;
    EXPECT_THAT(rows.text, Not(HasSubstr("struct foo")));
  }
  EXPECT_EQ(type_rows({.type = "union bar", .format = "csv"}).count, 0u);
}

TEST(DataTypes, BelowTheLimitAreLeftOut) { EXPECT_EQ(type_rows({.percent_limit = 50, .format = "jsonl"}).count, 1u); }

TEST(DataTypes, WithoutKnownMembersAreNotPrintedAsText) {
  const TypeRows rows = type_rows({});
  EXPECT_EQ(rows.count, 0u);
  EXPECT_EQ(rows.text, "");
}

}  // namespace
}  // namespace peregrine
