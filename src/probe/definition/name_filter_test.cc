#include "probe/definition/name_filter.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

bool filter_accepts(const std::string& text, const std::string& name) {
  const auto filter = NameFilter::parse(text);
  EXPECT_TRUE(filter) << text << ": " << (filter ? "" : filter.error().message);
  return filter && filter->accepts(name);
}

std::string filter_mistake(const std::string& text) {
  const auto filter = NameFilter::parse(text);
  return filter ? "no mistake" : filter.error().message;
}

TEST(NameFilterText, AndBindsTighterThanOr) {
  EXPECT_TRUE(filter_accepts("a*|b*&!*x", "ax"));
  EXPECT_FALSE(filter_accepts("a*|b*&!*x", "bx"));
  EXPECT_TRUE(filter_accepts("a*|b*&!*x", "by"));
  EXPECT_FALSE(filter_accepts("(a*|b*)&!*x", "ax"));
}

TEST(NameFilterText, NotAppliesToOneNameOrParentheses) {
  EXPECT_FALSE(filter_accepts("!a*&b*", "ab"));
  EXPECT_TRUE(filter_accepts("!a*&b*", "ba"));
  EXPECT_FALSE(filter_accepts("!(a*|b*)", "ba"));
  EXPECT_TRUE(filter_accepts("!(a*|b*)", "c"));
  EXPECT_TRUE(filter_accepts("!!a", "a"));
  EXPECT_FALSE(filter_accepts("!!a", "b"));
}

TEST(NameFilterText, AGlobMeansTheWholeName) {
  EXPECT_TRUE(filter_accepts("get", "get"));
  EXPECT_FALSE(filter_accepts("get", "get_page"));
  EXPECT_TRUE(filter_accepts("[ab]?", "b1"));
  EXPECT_FALSE(filter_accepts("[ab]?", "c1"));
  EXPECT_TRUE(filter_accepts("*", ""));
}

TEST(NameFilterText, ABackslashTakesTheMeaningFromTheNextCharacter) {
  EXPECT_TRUE(filter_accepts(R"(a\*b)", "a*b"));
  EXPECT_FALSE(filter_accepts(R"(a\*b)", "axb"));
  EXPECT_TRUE(filter_accepts(R"(a\|b)", "a|b"));
  EXPECT_TRUE(filter_accepts(R"(f\(int\))", "f(int)"));
  EXPECT_TRUE(filter_accepts(R"(a\ b)", "a b"));
}

TEST(NameFilterText, BlanksSeparateAndMeanNothing) {
  EXPECT_TRUE(filter_accepts(" ( a*\t| b* ) & ! *x ", "by"));
  EXPECT_FALSE(filter_accepts(" ( a*\t| b* ) & ! *x ", "bx"));
}

TEST(NameFilterText, ReportsErrorsWithTheirPosition) {
  EXPECT_EQ(filter_mistake(""), "filter '', character 1: expected a name or glob");
  EXPECT_EQ(filter_mistake("a |"), "filter 'a |', character 4: expected a name or glob");
  EXPECT_EQ(filter_mistake("a & | b"), "filter 'a & | b', character 5: expected a name or glob");
  EXPECT_EQ(filter_mistake("a)"), "filter 'a)', character 2: unexpected ')'");
  EXPECT_EQ(filter_mistake("a b"), "filter 'a b', character 3: unexpected 'b'");
  EXPECT_EQ(filter_mistake("(a"), "filter '(a', character 3: missing ')'");
  EXPECT_EQ(NameFilter::parse("(a").error().kind, ErrorKind::Usage);
}

TEST(NameFilterText, NestsAHundredTimesAndNotDeeper) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "a" + std::string(depth, ')'); };
  EXPECT_TRUE(filter_accepts(nested(100), "a"));
  EXPECT_EQ(filter_mistake(nested(101)), "filter '" + nested(101) + "', character 102: too many parentheses or '!'");
  EXPECT_TRUE(filter_accepts(std::string(100, '!') + "a", "a"));
  EXPECT_FALSE(NameFilter::parse(std::string(101, '!') + "a"));
}

}  // namespace
}  // namespace peregrine
