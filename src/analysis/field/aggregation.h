// Aggregation: the table of --agg: totals of expressions for each combination of keys.
//
//   sum(bytes_req), max(bytes_req) by comm, cpu top 10
//
//   spec      := aggregate (',' aggregate)* ('by' key (',' key)*)? ('top' N)?       key := EXPRESSION
//   aggregate := count | rate | FUNCTION '(' EXPRESSION ')'
//   FUNCTION  := count (of those that hold) | sum | min | max | avg | hist | rate (per second) | first | last
//
// Events must arrive in time order; one thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/field/expression.h"
#include "analysis/field/field_values.h"
#include "analysis/stat/value_distribution.h"
#include "base/number/wide_number.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class AggregateKind : u8 { Count, Sum, Min, Max, Average, Histogram, Rate, First, Last };

struct Aggregate {
  AggregateKind kind = AggregateKind::Count;
  std::optional<Expression> of;  // nothing: all events
  std::string title;             // as the user wrote it
};

struct AggregationPlan {
  std::vector<Aggregate> aggregates;
  std::vector<Expression> keys;
  std::size_t most = 0;  // rows; 0: all

  // Errors: Usage, with a caret at the place.
  static Result<AggregationPlan> parse(std::string_view text, UsedFields& names);
};

// An aggregate of one row.
struct AggregateValue {
  u64 count = 0;              // events that had the value
  i128 number = 0;            // sum, min or max
  std::string text = {};      // first, last
  CountedValues values = {};  // of a histogram
};

struct AggregateRow {
  std::vector<std::string> keys;
  std::vector<AggregateValue> values;
};

class Aggregation {
 public:
  explicit Aggregation(AggregationPlan plan) : plan_(std::move(plan)) {}

  const AggregationPlan& plan() const { return plan_; }
  // An event without a value for a key counts in the row "-".
  void add(const FieldValues& values);
  // Sorted by the first column, largest first, and at most as many as requested.
  std::vector<const AggregateRow*> rows() const;
  bool empty() const { return rows_.empty(); }
  void clear() { rows_.clear(); }

 private:
  AggregationPlan plan_;
  std::string key_;                // of the current event, and
  std::vector<std::size_t> ends_;  // where each of its parts ends
  std::unordered_map<std::string, AggregateRow> rows_;
};

// The count, the sum, the average, …, for sorting and printing; of a rate, what is divided by the time.
double aggregate_number(const Aggregate& aggregate, const AggregateValue& value);

}  // namespace peregrine
