// MetricExpression: the formula of a metric, "cycles / instructions if #smt_on else 0", in linux-perf's grammar.
//
//   if_expr := expr | expr 'if' expr 'else' if_expr
//   expr    := number | ID | '#' LITERAL | '(' if_expr ')' | '-' expr | expr OP expr | FUNCTION '(' … ')'
//   OP, loosest first, left to right:  |   ^   &   < > <= >= == !=   + -   * / %
//   FUNCTION: min(a,b)  max(a,b)  d_ratio(a,b)  source_count(ID)  has_event(ID)  strcmp_cpuid_str(ID)
//
// An ID is an event or another metric. '@' stands for the '/' of events with terms, '\' before '-', ',' or '=' keeps
// them from being operators, '?' is replaced by the parameter. Nodes are stored children first, so that nothing
// recurses over them, however long the text. Pure; one thread.
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

// What an expression may ask of the machine, answered before anything is counted.
struct MetricFacts {
  std::function<std::optional<double>(std::string_view literal)> literal;  // without '#'; nothing: unknown here
  std::function<bool(std::string_view event)> has_event;
  std::function<bool(std::string_view cpuid)> is_cpu;
};

// The value of an ID at one place.
struct IdValue {
  double value = 0;
  double sources = 1;  // how many counters it is the sum of
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
    u32 first = 0, second = 0, third = 0;  // operands: nodes before this one; of names: index into names()
    double number = 0;
  };

  // Errors (Malformed): three lines as of an event's syntax error: what is wrong, the text, a caret below its place.
  static Result<MetricExpression> parse(std::string_view text, unsigned parameter = 0);

  // The same with every question to the machine answered and what follows from constants left out, so that names()
  // holds what must be counted. Errors (Unsupported): a literal that the machine gives no value for.
  Result<MetricExpression> fold(const MetricFacts& facts) const;

  // Names used by the expression, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Node>& nodes() const { return nodes_; }

  // The value of a folded expression, `values` by index in names(). NaN where it divides by zero.
  double evaluate(std::span<const IdValue> values) const;

 private:
  friend class ExpressionParser;
  friend class ExpressionFolder;
  std::vector<Node> nodes_;  // the last one is the whole
  std::vector<std::string> names_;
};

// One operation on values; operands that the operation does not have are ignored.
double apply_operation(MetricExpression::Op op, double first, double second, double third);

}  // namespace peregrine
