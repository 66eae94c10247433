#include "output/text/format/fitted_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace peregrine {
namespace {

const std::vector<LinePart> kParts{{"h: keys"}, {"a: code", 2}, {"b: callers", 2}, {"/: find", 1}, {"q: quit"}};

TEST(FittedLine, ShowsAllPartsIfTheyFit) {
  EXPECT_EQ(fitted_line(kParts, 46), "h: keys  a: code  b: callers  /: find  q: quit");
  EXPECT_EQ(fitted_line({}, 10), "");
  EXPECT_EQ(fitted_line({{"a"}, {""}, {"b"}}, 10, " | "), "a | b") << "empty parts have no gap";
}

TEST(FittedLine, OmitsTheLeastImportantPartsFirst) {
  EXPECT_EQ(fitted_line(kParts, 45), "h: keys  a: code  /: find  q: quit");
  EXPECT_EQ(fitted_line(kParts, 33), "h: keys  /: find  q: quit");
  EXPECT_EQ(fitted_line(kParts, 24), "h: keys  q: quit");
  EXPECT_EQ(fitted_line(kParts, 3), "h: keys  q: quit") << "these are never omitted";
}

TEST(FittedLine, CountsColumnsNotBytes) {
  EXPECT_EQ(fitted_line({{"0.00–0.02 s"}, {"x", 1}}, 14), "0.00–0.02 s  x");
  EXPECT_EQ(fitted_line({{"0.00–0.02 s"}, {"x", 1}}, 13), "0.00–0.02 s");
}

}  // namespace
}  // namespace peregrine
