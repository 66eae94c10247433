#include "analysis/metric/expression_lexer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The tokens of a text: numbers as "12", names as "name", "#literal", operators as written, bad characters as "bad x".
std::vector<std::string> tokens(std::string_view text) {
  using Kind = ExpressionToken::Kind;
  ExpressionLexer lexer(text);
  std::vector<std::string> result;
  for (ExpressionToken token = lexer.next(); token.kind != Kind::End; token = lexer.next()) {
    const std::string written(token.text);
    result.push_back(token.kind == Kind::Number    ? fmt::format("{}", token.number)
                     : token.kind == Kind::Literal ? "#" + written
                     : token.kind == Kind::Bad     ? "bad " + written
                                                   : written);
  }
  return result;
}

TEST(ExpressionLexer, SplitsFormulasAsTheyAreWritten) {
  EXPECT_THAT(tokens("100 * (INST.ANY:u - b) / 1e-3"),
              ElementsAre("100", "*", "(", "INST.ANY:u", "-", "b", ")", "/", "0.001"));
  EXPECT_THAT(tokens("a<=b>=c==d!=e<f>g"),
              ElementsAre("a", "<=", "b", ">=", "c", "==", "d", "!=", "e", "<", "f", ">", "g"));
  EXPECT_THAT(tokens("max(a,b)"), ElementsAre("max", "(", "a", ",", "b", ")"));
  EXPECT_THAT(tokens("1 if #smt_on else 0"), ElementsAre("1", "if", "#smt_on", "else", "0"));
  EXPECT_THAT(tokens(" \t\r\n "), ::testing::AnyOf(IsEmpty(), ElementsAre("bad \n")));
  EXPECT_THAT(tokens(""), IsEmpty());
}

TEST(ExpressionLexer, ANumberIsANameIfMoreFollows) {
  const struct Case {
    std::string_view text;
    std::vector<std::string> tokens;
  } cases[] = {
      {"10", {"10"}},
      {".5", {"0.5"}},
      {"2.", {"2"}},
      {"1e9", {"1000000000"}},
      {"1e+2", {"100"}},
      {"1e", {"1e"}},      // not followed by an exponent
      {"0x10", {"0x10"}},  // an event in hexadecimal, as in linux-perf's files
      {"1st.event", {"1st.event"}},
      {"1-2", {"1", "-", "2"}},
      {"2*-3", {"2", "*", "-", "3"}},
      {".", {"."}},
  };
  for (const Case& each : cases) EXPECT_EQ(tokens(each.text), each.tokens) << each.text;
}

TEST(ExpressionLexer, EscapesBelongToNames) {
  EXPECT_THAT(tokens("L1\\-dcache - x"), ElementsAre("L1\\-dcache", "-", "x"));
  EXPECT_THAT(tokens("cpu@event\\=0x3c\\,umask\\=1@"), ElementsAre("cpu@event\\=0x3c\\,umask\\=1@"));
  EXPECT_THAT(tokens("a\\"), ElementsAre("a", "bad \\")) << "nothing is left to escape";
}

TEST(ExpressionLexer, KnowsTheColumnOfEachToken) {
  ExpressionLexer lexer("  ab + #c $");
  EXPECT_EQ(lexer.next().at, 2u);
  EXPECT_EQ(lexer.next().at, 5u);
  EXPECT_EQ(lexer.next().at, 7u);
  const ExpressionToken bad = lexer.next();
  EXPECT_EQ(bad.kind, ExpressionToken::Kind::Bad);
  EXPECT_EQ(bad.at, 10u);
  EXPECT_EQ(lexer.next().at, 11u) << "the end";
  EXPECT_EQ(lexer.next().kind, ExpressionToken::Kind::End) << "and it stays there";
}

TEST(EventOfName, UndoesWhatFormulasDoToEvents) {
  EXPECT_EQ(event_of_name("cycles", 0), "cycles");
  EXPECT_EQ(event_of_name("cpu@event\\=0x3c@", 0), "cpu/event=0x3c/");
  EXPECT_EQ(event_of_name("L1\\-dcache\\-loads", 0), "L1-dcache-loads");
  EXPECT_EQ(event_of_name("hv_24x7@PM\\,chip\\=?@", 12), "hv_24x7/PM,chip=12/");
  EXPECT_EQ(event_of_name("a\\\\b", 0), "a\\b");
  EXPECT_EQ(event_of_name("a\\", 0), "a\\");
  EXPECT_EQ(event_of_name("", 0), "");
}

TEST(MetricOperations, ReturnNanForNumbersOutOfRange) {
  using Op = MetricExpression::Op;
  constexpr double kHuge = 1e300, kInfinity = std::numeric_limits<double>::infinity();
  const auto apply = [](Op op, double first, double second) { return apply_operation(op, first, second, 0); };
  EXPECT_TRUE(std::isnan(apply(Op::And, kHuge, 1)));
  EXPECT_TRUE(std::isnan(apply(Op::Xor, 1, -kInfinity)));
  EXPECT_TRUE(std::isnan(apply(Op::Or, NAN, 1)));
  EXPECT_DOUBLE_EQ(apply(Op::And, 7.9, 3.9), 3) << "bits are those of the whole numbers";
  EXPECT_DOUBLE_EQ(apply(Op::And, -1, 6), 6);
  EXPECT_DOUBLE_EQ(apply(Op::Modulo, -7, 3), -1) << "the sign of the first, as in C";
  EXPECT_DOUBLE_EQ(apply(Op::Ratio, kHuge, 0), 0);
  EXPECT_TRUE(std::isnan(apply(Op::Divide, 0, 0)));
  EXPECT_DOUBLE_EQ(apply(Op::Equal, NAN, NAN), 0);
  EXPECT_DOUBLE_EQ(apply_operation(Op::If, 1, NAN, 3), 1) << "not a number is not zero";
}

// Folding a constant formula gives the same value as evaluating it.
TEST(MetricOperations, FoldingDoesNotChangeTheValue) {
  const MetricFacts nothing{.literal = [](std::string_view) { return std::optional<double>(); },
                            .has_event = [](std::string_view) { return false; },
                            .is_cpu = [](std::string_view) { return false; }};
  for (const std::string_view operation : {"+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^"})
    for (const double a : {0.0, 1.0, 2.5, 12.0})
      for (const double b : {0.0, 1.0, 3.0, 12.0}) {
        const auto constants = MetricExpression::parse(fmt::format("{} {} {}", a, operation, b));
        const auto names = MetricExpression::parse(fmt::format("a {} b", operation));
        ASSERT_TRUE(constants && names);
        const auto folded = constants->fold(nothing), kept = names->fold(nothing);
        ASSERT_TRUE(folded && kept);
        EXPECT_THAT(folded->names(), IsEmpty());
        const IdValue values[] = {{a}, {b}};
        EXPECT_THAT(folded->evaluate({}), ::testing::NanSensitiveDoubleEq(kept->evaluate(values)))
            << a << operation << b;
      }
}

TEST(MetricScales, AreANumberThenAUnit) {
  const struct Case {
    std::string_view text;
    double factor;
    std::string_view unit;
  } cases[] = {
      {"", 1, ""},
      {"100%", 100, "%"},
      {"1e-9GHz", 1e-9, "GHz"},
      {"1per_sec", 1, "per_sec"},
      {"64Bytes", 64, "Bytes"},
      {"0.5 W", 0.5, " W"},
      {"nanoseconds", 1, "nanoseconds"},
      {"infinitesimals", 1, "infinitesimals"},
  };
  for (const Case& each : cases) {
    EXPECT_DOUBLE_EQ(metric_scale(each.text).factor, each.factor) << each.text;
    EXPECT_EQ(metric_scale(each.text).unit, each.unit);
  }
}

// Without this test, only a user who requests it would notice an unreadable built-in metric.
TEST(BuiltinMetrics, AllHaveAFormulaThatParses) {
  for (const MetricDefinition& metric : builtin_metrics()) {
    SCOPED_TRACE(metric.name);
    EXPECT_TRUE(MetricExpression::parse(metric.expression));
    EXPECT_FALSE(metric.groups.empty());
    EXPECT_FALSE(metric.description.empty());
    EXPECT_EQ(metric.origin, "built-in");
    if (metric.threshold.empty()) continue;
    const auto threshold = MetricExpression::parse(metric.threshold);
    ASSERT_TRUE(threshold);
    EXPECT_THAT(threshold->names(), ElementsAre(metric.name)) << "a threshold is about its metric";
  }
}

TEST(BuiltinMetrics, AreListedByGroup) {
  const MetricCatalogue catalogue;
  EXPECT_THAT(catalogue.groups(), ElementsAre("Branches", "Caches", "General", "Software", "TopDown", "TopDownL1"));
  EXPECT_EQ(catalogue.matching("general").size(), 5u);
  EXPECT_THAT(catalogue.matching("nothing"), IsEmpty());
  EXPECT_EQ(catalogue.nearest("xyzzy"), "");
  EXPECT_EQ(catalogue.nearest("branch_mpk"), "branch_mpki");
}

}  // namespace
}  // namespace peregrine
