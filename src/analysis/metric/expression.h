// MetricExpression: the formula of a metric, "cycles / instructions if #smt_on else 0", in linux-perf's grammar.
//
//   if_expr := expr | expr 'if' expr 'else' if_expr
//   expr    := number | ID | '#' LITERAL | '(' if_expr ')' | '-' expr | expr OP expr | FUNCTION '(' … ')'
//   OP, loosest first, left to right:  |   ^   &   < > <= >= == !=   + -   * / %
//   FUNCTION: min(a,b)  max(a,b)  d_ratio(a,b)  source_count(ID)  has_event(ID)  strcmp_cpuid_str(ID)
//
// An ID is an event or another metric. '@' replaces the '/' of events with terms, '\' escapes '-', ',' and '=', '?' is
// replaced by the parameter. Nodes are stored children first, so evaluation needs no recursion, however long the text.
// Pure; one thread.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Properties of the machine that an expression can query; evaluated before counting.
struct MetricFacts {
  std::function<std::optional<double>(std::string_view literal)> literal;  // without '#'; empty: unknown here
  std::function<bool(std::string_view event)> has_event;
  std::function<bool(std::string_view cpuid)> is_cpu;
};

// An ID's value at one place.
struct IdValue {
  double value = 0;
  double sources = 1;  // number of counters in the sum
};

class MetricExpression {
 public:
  enum class Op : u8 {
    Number,
    Id,
    SourceCount,
    HasEvent,
    IsCpu,
    Literal,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Xor,
    Ratio,
    Min,
    Max,
    If,  // first if second else third
  };
  struct Node {
    Op op = Op::Number;
    u32 first = 0, second = 0, third = 0;  // operand indices, less than this node's; for names: index into names()
    double number = 0;
  };

  // Errors (Malformed): three lines, like an event's syntax error: the message, the text, and a caret below the column.
  static Result<MetricExpression> parse(std::string_view text, unsigned parameter = 0);

  // Replaces queries to the machine by their values and folds constants, so that names() is what must be counted.
  // Errors (Unsupported): a literal without a value on this machine.
  Result<MetricExpression> fold(const MetricFacts& facts) const;

  // The names in the expression, without duplicates, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Node>& nodes() const { return nodes_; }

  // Evaluates a folded expression, `values` by index in names(). NaN for division by zero.
  double evaluate(std::span<const IdValue> values) const;

 private:
  friend class ExpressionParser;
  friend class ExpressionFolder;
  std::vector<Node> nodes_;  // the last one is the root
  std::vector<std::string> names_;
};

// Applies one operation; ignores operands it does not use.
double apply_operation(MetricExpression::Op op, double first, double second, double third);

}  // namespace peregrine
