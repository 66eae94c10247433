#include "analysis/field/aggregation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace peregrine {
namespace {

struct Read {
  std::string comm;
  i64 cpu = 0, bytes = 0;
};

class FieldsOfARead : public FieldValues {
 public:
  FieldsOfARead(const UsedFields& names, const Read& read) : names_(names), read_(read) {}
  std::optional<i128> number(std::size_t field) const override {
    const std::string& name = names_.used()[field];
    if (name == "comm") return std::nullopt;
    return name == "cpu" ? read_.cpu : read_.bytes;
  }
  bool append(std::string& out, std::size_t field) const override {
    const auto value = number(field);
    out += value ? fmt::to_string(*value) : read_.comm;
    return !out.ends_with("?");
  }

 private:
  const UsedFields& names_;
  const Read& read_;
};

UsedFields names_of_a_read() {
  return UsedFields({.kind =
                         [](std::string_view name) {
                           if (name == "comm") return FieldForm::Text;
                           return name == "cpu" || name == "bytes" ? FieldForm::Number : FieldForm::Unknown;
                         },
                     .all = [] { return std::vector<std::string>{"comm", "cpu", "bytes"}; }});
}

const std::vector<Read> kReads{{"dd", 0, 10}, {"cat", 1, 5}, {"dd", 1, 30}, {"dd", 0, -2}, {"?", 0, 7}};

// "dd/0: 2 8.0": the rows with their numbers.
std::vector<std::string> rows_of(std::string_view text) {
  UsedFields names = names_of_a_read();
  auto plan = AggregationPlan::parse(text, names);
  if (!plan) return {plan.error().message};
  Aggregation aggregation(std::move(*plan));
  for (const Read& read : kReads) aggregation.add(FieldsOfARead(names, read));
  std::vector<std::string> rows;
  for (const AggregateRow* row : aggregation.rows()) {
    std::string line = fmt::format("{}:", fmt::join(row->keys, "/"));
    for (std::size_t i = 0; i < row->values.size(); ++i) {
      const AggregateValue& value = row->values[i];
      line += " " + (value.text.empty() ? fmt::format("{}", aggregate_number(aggregation.plan().aggregates[i], value))
                                        : value.text);
    }
    rows.push_back(line);
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(Aggregation, SumsByCompositeKeysAndSortsByTheFirstColumn) {
  EXPECT_EQ(rows_of("sum(bytes), count by comm, cpu"), (Rows{"dd/1: 30 1", "dd/0: 8 2", "-/0: 7 1", "cat/1: 5 1"}));
  EXPECT_EQ(rows_of("count by comm"), (Rows{"dd: 3", "-: 1", "cat: 1"}));
  EXPECT_EQ(rows_of("count"), (Rows{": 5"}));
}

TEST(Aggregation, HasEveryFunction) {
  EXPECT_EQ(rows_of("min(bytes), max(bytes), avg(bytes), first(bytes), last(bytes), count(bytes < 0)"),
            (Rows{": -2 30 10 10 7 1"}));
  EXPECT_EQ(rows_of("first(comm), last(bytes * 2) by cpu"), (Rows{"0: dd 14", "1: cat 60"}));
}

TEST(Aggregation, SumsAndAveragesOfLargeNumbersAreExact) {
  EXPECT_EQ(rows_of("avg(9223372036854775807), min(18446744073709551615), max(18446744073709551615)"),
            (Rows{": 9.223372036854776e+18 1.8446744073709552e+19 1.8446744073709552e+19"}));
  UsedFields names = names_of_a_read();
  Aggregation aggregation(*AggregationPlan::parse("sum(18446744073709551615)", names));
  for (const Read& read : kReads) aggregation.add(FieldsOfARead(names, read));
  EXPECT_EQ(fmt::to_string(aggregation.rows().front()->values.front().number), "92233720368547758075");
}

TEST(Aggregation, KeysAreExpressionsAndRowsCanBeLimited) {
  EXPECT_EQ(rows_of("count by bytes / 10 top 2"), (Rows{"0: 3", "1: 1"}));
}

TEST(Aggregation, ShowsErrorsInTheirPlace) {
  const auto starts = [](const Rows& rows, std::string_view text) {
    return rows.size() == 1 && rows[0].contains(text);
  };
  EXPECT_TRUE(starts(rows_of("summ(bytes)"),
                     "--agg syntax error: 'summ(bytes)'\n                     \\___ unknown "
                     "aggregate 'summ'"));
  EXPECT_TRUE(starts(rows_of("sum(byte) by comm"), "unknown field 'byte'"));
  EXPECT_TRUE(starts(rows_of("sum"), "expected '(' and a field after 'sum'"));
  EXPECT_TRUE(starts(rows_of("sum(bytes"), "expected ')' after 'sum(bytes'"));
  EXPECT_TRUE(starts(rows_of("count per comm"), "unexpected 'per'"));
  EXPECT_TRUE(starts(rows_of("count top 0"), "expected a number of rows after 'top'"));
  EXPECT_TRUE(starts(rows_of(""), "expected an aggregate"));
}

}  // namespace
}  // namespace peregrine
