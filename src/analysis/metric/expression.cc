#include "analysis/metric/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <expected>
#include <limits>
#include <utility>

#include "analysis/metric/expression_lexer.h"

namespace peregrine {

namespace {

using Op = MetricExpression::Op;
using TokenKind = ExpressionToken::Kind;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Nesting of brackets: far more than any formula uses, far less than overflows the stack.
constexpr unsigned kMaxDepth = 256;
constexpr std::size_t kMaxText = 1u << 16;

struct BinaryOperator {
  std::string_view text;
  Op op;
  unsigned binding;  // higher binds tighter
};
constexpr std::array kBinary{
    BinaryOperator{"|", Op::Or, 1},
    BinaryOperator{"^", Op::Xor, 2},
    BinaryOperator{"&", Op::And, 3},
    BinaryOperator{"<", Op::Less, 4},
    BinaryOperator{">", Op::Greater, 4},
    BinaryOperator{"<=", Op::LessEqual, 4},
    BinaryOperator{">=", Op::GreaterEqual, 4},
    BinaryOperator{"==", Op::Equal, 4},
    BinaryOperator{"!=", Op::NotEqual, 4},
    BinaryOperator{"+", Op::Add, 5},
    BinaryOperator{"-", Op::Subtract, 5},
    BinaryOperator{"*", Op::Multiply, 6},
    BinaryOperator{"/", Op::Divide, 6},
    BinaryOperator{"%", Op::Modulo, 6},
};

struct Function {
  std::string_view name;
  Op op;
  bool of_names;
};
constexpr std::array kFunctions{
    Function{"min", Op::Min, false},           Function{"max", Op::Max, false},
    Function{"d_ratio", Op::Ratio, false},     Function{"source_count", Op::SourceCount, true},
    Function{"has_event", Op::HasEvent, true}, Function{"strcmp_cpuid_str", Op::IsCpu, true},
};

// Bit operations work on integers. nullopt if the value does not fit; the result is then NaN.
std::optional<i64> whole(double value) {
  if (!(std::fabs(value) < 9.2e18)) return std::nullopt;
  return static_cast<i64>(value);
}

double bits(Op op, double first, double second) {
  const auto a = whole(first), b = whole(second);
  if (!a || !b) return kNaN;
  return static_cast<double>(op == Op::And ? *a & *b : op == Op::Or ? *a | *b : *a ^ *b);
}

}  // namespace

double apply_operation(Op op, double first, double second, double third) {
  switch (op) {
    case Op::Negate:
      return -first;
    case Op::Add:
      return first + second;
    case Op::Subtract:
      return first - second;
    case Op::Multiply:
      return first * second;
    case Op::Divide:
      return second == 0 ? kNaN : first / second;
    case Op::Modulo:
      return second == 0 ? kNaN : std::fmod(first, second);
    case Op::Less:
      return first < second ? 1 : 0;
    case Op::Greater:
      return first > second ? 1 : 0;
    case Op::LessEqual:
      return first <= second ? 1 : 0;
    case Op::GreaterEqual:
      return first >= second ? 1 : 0;
    case Op::Equal:
      return first == second ? 1 : 0;
    case Op::NotEqual:
      return first != second ? 1 : 0;
    case Op::And:
    case Op::Or:
    case Op::Xor:
      return bits(op, first, second);
    case Op::Ratio:
      return second == 0 ? 0 : first / second;
    case Op::Min:
      return std::min(first, second);
    case Op::Max:
      return std::max(first, second);
    case Op::If:
      return second != 0 ? first : third;
    default:
      return kNaN;
  }
}

// Recursive descent with precedence climbing. kMaxDepth bounds the recursion; chains of operators are loops.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, unsigned parameter) : text_(text), parameter_(parameter), lexer_(text) {
    token_ = lexer_.next();
  }

  Result<MetricExpression> whole() {
    if (text_.size() > kMaxText)
      return fail(ErrorKind::Malformed, "metric expression is longer than {} bytes", kMaxText);
    if (auto parsed = choice(); !parsed) return std::unexpected(std::move(parsed.error()));
    if (token_.kind != TokenKind::End) return wrong("expected an operator");
    return std::move(made_);
  }

 private:
  using Index = Result<u32>;

  std::unexpected<Error> wrong(std::string_view what) const {
    constexpr std::size_t kShown = 60;
    const std::size_t from = token_.at > kShown ? token_.at - kShown : 0;
    std::string part(text_.substr(from, 2 * kShown));
    std::ranges::replace_if(part, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    const std::string_view dots = from > 0 ? ".." : "";
    return fail(ErrorKind::Malformed, "metric syntax error: '{}{}{}'\n{:>{}}\\___ {}", dots, part,
                from + part.size() < text_.size() ? ".." : "", "", 22 + dots.size() + token_.at - from, what);
  }
  void advance() { token_ = lexer_.next(); }
  bool at(std::string_view text) const { return token_.kind == TokenKind::Operator && token_.text == text; }
  bool at_word(std::string_view text) const { return token_.kind == TokenKind::Name && token_.text == text; }
  Result<> expect(std::string_view text) {
    if (!at(text)) return wrong(fmt::format("expected '{}'", text));
    advance();
    return {};
  }
  u32 add(MetricExpression::Node node) {
    made_.nodes_.push_back(node);
    return static_cast<u32>(made_.nodes_.size() - 1);
  }
  u32 name(std::string text) {
    auto found = std::ranges::find(made_.names_, text);
    if (found == made_.names_.end()) found = made_.names_.insert(found, std::move(text));
    return static_cast<u32>(found - made_.names_.begin());
  }

  // choice := expr ['if' expr 'else' choice]
  Index choice() {
    if (++depth_ > kMaxDepth) return wrong("too deeply nested");
    auto first = expression(1);
    if (!first || !at_word("if")) return --depth_, first;
    advance();
    auto condition = expression(1);
    if (!condition) return condition;
    if (!at_word("else")) return wrong("expected 'else'");
    advance();
    auto otherwise = choice();
    if (!otherwise) return otherwise;
    --depth_;
    return add({.op = Op::If, .first = *first, .second = *condition, .third = *otherwise});
  }

  // Parses operators with at least this binding.
  Index expression(unsigned binding) {
    auto left = operand();
    while (left) {
      const auto found = token_.kind == TokenKind::Operator
                             ? std::ranges::find(kBinary, token_.text, &BinaryOperator::text)
                             : kBinary.end();
      if (found == kBinary.end() || found->binding < binding) return left;
      advance();
      auto right = expression(found->binding + 1);
      if (!right) return right;
      left = add({.op = found->op, .first = *left, .second = *right});
    }
    return left;
  }

  Index operand() {
    const ExpressionToken token = token_;
    switch (token.kind) {
      case TokenKind::Number:
        advance();
        return add({.op = Op::Number, .number = token.number});
      case TokenKind::Literal:
        if (token.text.empty()) return wrong("expected a name after '#'");
        advance();
        return add({.op = Op::Literal, .first = name("#" + std::string(token.text))});
      case TokenKind::Name:
        return named_operand();
      case TokenKind::Operator:
        if (at("(")) return bracket();
        if (at("-")) return negated();
        [[fallthrough]];
      default:
        return wrong(token.kind == TokenKind::End ? "expected a value at the end" : "expected a value");
    }
  }

  Index bracket() {
    advance();
    auto inside = choice();
    if (!inside) return inside;
    if (auto closed = expect(")"); !closed) return std::unexpected(std::move(closed.error()));
    return inside;
  }

  Index negated() {
    if (++depth_ > kMaxDepth) return wrong("too many unary signs");
    advance();
    auto value = operand();
    --depth_;
    if (!value) return value;
    return add({.op = Op::Negate, .first = *value});
  }

  Index named_operand() {
    const auto function = std::ranges::find(kFunctions, token_.text, &Function::name);
    if (function != kFunctions.end()) return call(*function);
    if (at_word("if") || at_word("else")) return wrong("expected a value");
    std::string event = event_of_name(token_.text, parameter_);
    advance();
    return add({.op = Op::Id, .first = name(std::move(event))});
  }

  Index call(const Function& function) {
    advance();
    if (auto open = expect("("); !open) return std::unexpected(std::move(open.error()));
    MetricExpression::Node node{.op = function.op};
    if (function.of_names) {
      if (token_.kind != TokenKind::Name && token_.kind != TokenKind::Number) return wrong("expected a name");
      node.first = name(event_of_name(token_.text, parameter_));
      advance();
    } else {
      auto first = choice();
      if (!first) return first;
      if (auto comma = expect(","); !comma) return std::unexpected(std::move(comma.error()));
      auto second = choice();
      if (!second) return second;
      node.first = *first;
      node.second = *second;
    }
    if (auto closed = expect(")"); !closed) return std::unexpected(std::move(closed.error()));
    return add(node);
  }

  std::string_view text_;
  unsigned parameter_;
  ExpressionLexer lexer_;
  ExpressionToken token_;
  MetricExpression made_;
  unsigned depth_ = 0;
};

Result<MetricExpression> MetricExpression::parse(std::string_view text, unsigned parameter) {
  return ExpressionParser(text, parameter).whole();
}

double MetricExpression::evaluate(std::span<const IdValue> values) const {
  std::vector<double> results(nodes_.size());
  // The parser adds a node after its operands, so one loop evaluates them all, without recursion.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.op == Op::Number)
      results[i] = node.number;
    else if (node.op == Op::Id)
      results[i] = node.first < values.size() ? values[node.first].value : kNaN;
    else if (node.op == Op::SourceCount)
      results[i] = node.first < values.size() ? values[node.first].sources : kNaN;
    else if (node.op == Op::HasEvent || node.op == Op::IsCpu || node.op == Op::Literal)
      results[i] = kNaN;  // replaced by fold()
    else
      results[i] = apply_operation(node.op, results[node.first], results[node.second], results[node.third]);
  }
  return results.empty() ? kNaN : results.back();
}

}  // namespace peregrine
