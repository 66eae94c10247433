#include "analysis/field/expression.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

namespace peregrine {
namespace {

// A system call that failed: numbers, a text, and a number with a name.
class FieldsOfACall : public FieldValues {
 public:
  explicit FieldsOfACall(const UsedFields& names) : names_(names) {}
  std::optional<i128> number(std::size_t field) const override {
    const auto found = kNumbers.find(names_.used()[field]);
    return found == kNumbers.end() ? std::nullopt : std::optional(found->second);
  }
  bool append(std::string& out, std::size_t field) const override {
    const std::string& name = names_.used()[field];
    if (name == "comm" || name == "filename") out += name == "comm" ? "dd" : "/tmp/a,b (c)";
    if (name == "sig") out += "KILL";
    if (name == "ret") out += "-2";
    return name != "absent";
  }

 private:
  const std::map<std::string, i128, std::less<>> kNumbers{{"ret", -2},
                                                          {"count", 4096},
                                                          {"sig", 9},
                                                          {"duration", 12'000'000},
                                                          {"least", std::numeric_limits<i64>::min()},
                                                          {"ptr", u64{0xffff888151b145b8}}};
  const UsedFields& names_;
};

UsedFields names_of_a_call() {
  return UsedFields({.kind =
                         [](std::string_view name) {
                           if (name == "comm" || name == "filename") return FieldForm::Text;
                           if (name == "sig") return FieldForm::Named;
                           constexpr std::string_view kNumbers = " ret count duration least ptr absent ev.ret ";
                           return kNumbers.contains(" " + std::string(name) + " ") ? FieldForm::Number
                                                                                   : FieldForm::Unknown;
                         },
                     .all = [] { return std::vector<std::string>{"comm", "ret", "count", "duration"}; }});
}

std::string result_of(std::string_view text) {
  UsedFields names = names_of_a_call();
  const auto parsed = Expression::parse(text, names);
  if (!parsed) return parsed.error().what;
  std::string out;
  return parsed->append(out, FieldsOfACall(names)) ? out : "missing";
}

SyntaxError error_of(std::string_view text) {
  UsedFields names = names_of_a_call();
  auto parsed = Expression::parse(text, names);
  return parsed ? SyntaxError{} : parsed.error();
}

TEST(Expression, CalculatesWithThePrecedenceOfC) {
  EXPECT_EQ(result_of("2 + 3 * 4"), "14");
  EXPECT_EQ(result_of("(2 + 3) * 4 - -1"), "21");
  EXPECT_EQ(result_of("count / 1024 % 3"), "1");
  EXPECT_EQ(result_of("count >> 4 | 1 & 3"), "257");
  EXPECT_EQ(result_of("0x10 ^ 010"), "24");
  EXPECT_EQ(result_of("1 << 64"), "0");
}

TEST(Expression, KnowsSignedAndUnsignedNumbersOf64Bits) {
  EXPECT_EQ(result_of("ptr > 0 && ptr >= 0xffff888000000000"), "1");
  EXPECT_EQ(result_of("ptr < 0x1000 || ptr < ret || ptr == -131385742735944"), "0");
  EXPECT_EQ(result_of("18446744073709551615 > 5 && 10000000000s > 1 && ret < 18446744073709551615"), "1");
  EXPECT_EQ(result_of("ptr & 0xfff"), "1464");
  EXPECT_EQ(result_of("ptr >> 32"), "4294936705");
  EXPECT_EQ(result_of("ptr - ptr - 1"), "-1");
  EXPECT_EQ(result_of("-8 >> 1"), "-4");
  EXPECT_EQ(result_of("ret & 0xff"), "254");
  EXPECT_EQ(result_of("-1 >> 64"), "-1");
  EXPECT_EQ(result_of("ptr << 64"), "0");
}

TEST(Expression, WrapsResultsOfMoreThan64Bits) {
  EXPECT_EQ(result_of("9223372036854775807 + 1"), "9223372036854775808");
  EXPECT_EQ(result_of("18446744073709551615 + 1"), "0");
  EXPECT_EQ(result_of("18446744073709551615 * 18446744073709551615"), "1");
  EXPECT_EQ(result_of("least - 1"), "9223372036854775807");
  EXPECT_EQ(result_of("least / -1"), "9223372036854775808");
  EXPECT_EQ(result_of("least % -1"), "0");
}

TEST(Expression, ComparesNumbersTextAndNames) {
  EXPECT_EQ(result_of("ret < 0 && comm == dd"), "1");
  EXPECT_EQ(result_of("ret >= 0 || comm != \"dd\""), "0");
  EXPECT_EQ(result_of("!(ret == -2)"), "0");
  EXPECT_EQ(result_of("filename ~ */a*"), "1");
  EXPECT_EQ(result_of("filename !~ '/tmp/*'"), "0");
  EXPECT_EQ(result_of("sig == KILL && sig == 9"), "1");
  EXPECT_EQ(result_of("sig == TERM|KILL"), "0");
  EXPECT_EQ(result_of("count & 4096 == 4096"), "1");
}

TEST(Expression, NumbersMayBeTimes) {
  EXPECT_EQ(result_of("duration > 10ms"), "1");
  EXPECT_EQ(result_of("duration / 1us"), "12000");
  EXPECT_EQ(result_of("5parsecs"), "'5parsecs' is not a number");
}

TEST(Expression, AbsentFieldsMakeResultsMissingAndComparisonsFalse) {
  EXPECT_EQ(result_of("absent + 1"), "missing");
  EXPECT_EQ(result_of("absent == 1 || absent != 1"), "0");
  EXPECT_EQ(result_of("count / 0"), "missing");
  EXPECT_EQ(result_of("count % 0"), "missing");
}

TEST(Expression, NamesTheErrorAndItsPlace) {
  EXPECT_EQ(error_of("ret < 0 && durration > 5").what, "unknown field 'durration'");
  EXPECT_EQ(error_of("ret < 0 && durration > 5").column, 11u);
  EXPECT_EQ(error_of("ret < 0 && durration > 5").hint, "did you mean 'duration'?");
  EXPECT_EQ(error_of("ret < 0 && durration > 5").details, "fields: comm, ret, count, duration");
  EXPECT_EQ(error_of("ret = 0").hint, "did you mean '=='?");
  EXPECT_EQ(error_of("ret <").what, "expected a field or a value at the end");
  EXPECT_EQ(error_of("(ret < 0").what, "unmatched '('");
  EXPECT_EQ(error_of("ret < 0)").what, "unmatched ')'");
  EXPECT_EQ(error_of("ret < 0 and 1").what, "unexpected 'and'");
  EXPECT_EQ(error_of("comm == \"dd").what, "unterminated quote");
  EXPECT_EQ(error_of("").what, "expected a field or a value at the end");
  EXPECT_EQ(error_of("ret == coutn").what, "unknown field 'coutn'");
}

TEST(Expression, LimitsDepthAndLength) {
  EXPECT_EQ(error_of(std::string(1000, '(') + "1").what, "nested too deeply");
  EXPECT_EQ(error_of(std::string(1000, '!') + "1").what, "nested too deeply");
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_EQ(error_of(sum).what, "expression is too long");
}

}  // namespace
}  // namespace peregrine
