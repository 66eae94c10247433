#include "analysis/metric/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace peregrine {
namespace {

MetricFacts facts(const std::map<std::string, double, std::less<>>& literals = {}) {
  return {.literal =
              [=](std::string_view name) {
                const auto found = literals.find(name);
                return found == literals.end() ? std::nullopt : std::optional(found->second);
              },
          .has_event = [](std::string_view event) { return event == "slots"; },
          .is_cpu = [](std::string_view cpuid) { return cpuid == "0x410fd493"; }};
}

double value(std::string_view text, std::map<std::string, IdValue> ids = {},
             const std::map<std::string, double, std::less<>>& literals = {}) {
  const auto parsed = MetricExpression::parse(text);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return NAN;
  }
  const auto folded = parsed->fold(facts(literals));
  if (!folded) {
    ADD_FAILURE() << folded.error().message;
    return NAN;
  }
  std::vector<IdValue> values;
  for (const std::string& name : folded->names()) values.push_back(ids[name]);
  return folded->evaluate(values);
}

std::vector<std::string> names(std::string_view text, const std::map<std::string, double, std::less<>>& literals = {}) {
  const auto folded = MetricExpression::parse(text, 3)->fold(facts(literals));
  return folded ? folded->names() : std::vector<std::string>{folded.error().message};
}

std::string error(std::string_view text) {
  const auto parsed = MetricExpression::parse(text);
  return parsed ? "none" : parsed.error().message;
}

using Names = std::vector<std::string>;

TEST(MetricExpression, Numbers) {
  EXPECT_DOUBLE_EQ(value("1.5"), 1.5);
  EXPECT_DOUBLE_EQ(value(".25 + 2."), 2.25);
  EXPECT_DOUBLE_EQ(value("1e3"), 1000);
  EXPECT_DOUBLE_EQ(value("2.5e-1 * 4E+1"), 10);
  EXPECT_DOUBLE_EQ(value("61 / 1000000000 * 1e9"), 61);
}

TEST(MetricExpression, Operators) {
  EXPECT_DOUBLE_EQ(value("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(value("10 - 4 - 3"), 3);
  EXPECT_DOUBLE_EQ(value("100 / 10 / 5"), 2);
  EXPECT_DOUBLE_EQ(value("17 % 5"), 2);
  EXPECT_DOUBLE_EQ(value("-3 + 5"), 2);
  EXPECT_DOUBLE_EQ(value("2 * -3"), -6);
  EXPECT_DOUBLE_EQ(value("2 < 3"), 1);
  EXPECT_DOUBLE_EQ(value("2 > 3"), 0);
  EXPECT_DOUBLE_EQ(value("2 + 2 > 3"), 1);
  EXPECT_DOUBLE_EQ(value("3 >= 3 & 3 <= 3"), 1);
  EXPECT_DOUBLE_EQ(value("6 & 3 | 8"), 10);
  EXPECT_DOUBLE_EQ(value("6 ^ 3"), 5);
  EXPECT_DOUBLE_EQ(value("1 | 2 ^ 3 & 1"), 3);
}

TEST(MetricExpression, Functions) {
  EXPECT_DOUBLE_EQ(value("min(3, 2) + max(3, 2)"), 5);
  EXPECT_DOUBLE_EQ(value("d_ratio(1, 4)"), 0.25);
  EXPECT_DOUBLE_EQ(value("d_ratio(1, 0)"), 0);
  EXPECT_TRUE(std::isnan(value("1 / 0")));
  EXPECT_TRUE(std::isnan(value("1 % 0")));
  EXPECT_DOUBLE_EQ(value("has_event(slots)"), 1);
  EXPECT_DOUBLE_EQ(value("has_event(other)"), 0);
  EXPECT_DOUBLE_EQ(value("strcmp_cpuid_str(0x410fd493)"), 1);
  EXPECT_DOUBLE_EQ(value("EVENT / source_count(EVENT)", {{"EVENT", {60, 6}}}), 10);
}

TEST(MetricExpression, Choices) {
  EXPECT_DOUBLE_EQ(value("1 if 2 > 1 else 0"), 1);
  EXPECT_DOUBLE_EQ(value("1 if 0 else 2 if 0 else 3"), 3);
  EXPECT_DOUBLE_EQ(value("(A if B > 2 else 0) + 1", {{"A", {5}}, {"B", {3}}}), 6);
  EXPECT_DOUBLE_EQ(value("A / B if B > 0 else 0", {{"A", {5}}, {"B", {0}}}), 0);
}

TEST(MetricExpression, Literals) {
  EXPECT_DOUBLE_EQ(value("#num_cpus / #num_cores", {}, {{"num_cpus", 8}, {"num_cores", 4}}), 2);
  EXPECT_EQ(MetricExpression::parse("#unknown + 1")->fold(facts()).error().message, "'#unknown' is not available here");
  EXPECT_DOUBLE_EQ(value("1 if 1 else #unknown"), 1);  // not needed, so not queried
}

TEST(MetricExpression, NamesOfEvents) {
  EXPECT_EQ(names("FOO + BAR + FOO"), (Names{"FOO", "BAR"}));
  EXPECT_EQ(names("cpu@event\\=0x3c\\,umask\\=0x1@ / inst_retired.any:u"),
            (Names{"cpu/event=0x3c,umask=0x1/", "inst_retired.any:u"}));
  EXPECT_EQ(names("L1\\-dcache\\-loads - page\\-faults"), (Names{"L1-dcache-loads", "page-faults"}));
  EXPECT_EQ(names("hv_24x7@EVENT\\,chip\\=?@ + 0x10"), (Names{"hv_24x7/EVENT,chip=3/", "0x10"}));
}

TEST(MetricExpression, CountsOnlyWhatIsNeeded) {
  EXPECT_EQ(names("EVENT1 if #smt_on else EVENT2", {{"smt_on", 1}}), Names{"EVENT1"});
  EXPECT_EQ(names("EVENT1 if #smt_on else EVENT2", {{"smt_on", 0}}), Names{"EVENT2"});
  EXPECT_EQ(names("1 + (EVENT1 if 0 else 2)"), Names{});
  EXPECT_EQ(names("0 & EVENT1 > 0"), Names{});
  EXPECT_EQ(names("EVENT1 > 0 & 0"), Names{});
  EXPECT_EQ(names("1 & EVENT1 > 0"), Names{"EVENT1"});
  EXPECT_EQ(names("1 | EVENT1 > 0"), Names{});
  EXPECT_EQ(names("0 | EVENT1 > 0"), Names{"EVENT1"});
  EXPECT_EQ(names("1 | EVENT1"), Names{"EVENT1"});  // its bits are significant
}

TEST(MetricExpression, ErrorsShowTheirPlace) {
  EXPECT_EQ(error("BAR/"), "metric syntax error: 'BAR/'\n                          \\___ expected a value at the end");
  EXPECT_NE(error("1 + "), "none");
  EXPECT_NE(error("(1"), "none");
  EXPECT_NE(error("1 1"), "none");
  EXPECT_NE(error("min(1)"), "none");
  EXPECT_NE(error("1 if 2"), "none");
  EXPECT_NE(error("a $ b"), "none");
  EXPECT_NE(error("# + 1"), "none");
  EXPECT_NE(error(""), "none");
  EXPECT_NE(error(std::string(1000, '(')), "none");
  EXPECT_NE(error(std::string(1000, '-') + "1"), "none");
  std::string chain = "1";
  for (int i = 0; i < 30'000; ++i) chain += "+1";
  EXPECT_DOUBLE_EQ(value(chain), 30'001);
}

}  // namespace
}  // namespace peregrine
