#include "analysis/field/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>

#include "base/number/duration.h"
#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/text/trim.h"
#include "event/syntax_error.h"

namespace peregrine {

namespace {
constexpr unsigned kDeepest = 64;        // nesting of parentheses and signs
constexpr std::size_t kMostNodes = 500;  // evaluation is recursive
}  // namespace

Parsed<Expression> FieldExpressionParser::run() {
  skip_blanks();
  const std::size_t start = at();
  auto root = condition();
  if (!root) return std::unexpected(std::move(root.error()));
  const Expression::Node& last = made_.nodes_[*root];
  made_.is_time_ = last.kind == Kind::Field && form_of(last) == FieldForm::Time;
  made_.text_ = trim(text().substr(start, at() - start));
  return std::move(made_);
}

FieldExpressionParser::Index FieldExpressionParser::add(Kind kind, u32 left, u32 right) {
  if (made_.nodes_.size() >= kMostNodes) return wrong(at(), "expression is too long");
  made_.nodes_.push_back({.kind = kind, .left = left, .right = right});
  return static_cast<u32>(made_.nodes_.size() - 1);
}

FieldExpressionParser::Index FieldExpressionParser::add_text(std::string text) {
  auto node = add(Kind::Text, 0, 0);
  if (node) made_.nodes_[*node].text = std::move(text);
  return node;
}

template <std::size_t N>
FieldExpressionParser::Index FieldExpressionParser::joined(const Operator (&operators)[N],
                                                           Index (FieldExpressionParser::*operand)()) {
  auto left = (this->*operand)();
  while (left) {
    const auto found = std::ranges::find_if(operators, [&](const Operator& each) {
      // A single & or | is not the start of && or ||.
      const bool single = each.text == "&" || each.text == "|";
      return next_is(each.text) && !(single && (next_is("&&") || next_is("||")));
    });
    if (found == std::end(operators)) break;
    take_token(found->text);
    auto right = (this->*operand)();
    if (!right) return right;
    left = add(found->kind, *left, *right);
  }
  return left;
}

FieldExpressionParser::Index FieldExpressionParser::condition() {
  static constexpr Operator kOr[] = {{"||", Kind::Or}};
  if (++depth_ > kDeepest) return wrong(at(), "nested too deeply");
  auto node = joined(kOr, &FieldExpressionParser::all);
  --depth_;
  return node;
}

FieldExpressionParser::Index FieldExpressionParser::all() {
  static constexpr Operator kAnd[] = {{"&&", Kind::And}};
  return joined(kAnd, &FieldExpressionParser::comparison);
}

FieldExpressionParser::Index FieldExpressionParser::comparison() {
  static constexpr Operator kOperators[] = {{"==", Kind::Equal},     {"!=", Kind::NotEqual},     {"!~", Kind::NotGlob},
                                            {"<=", Kind::LessEqual}, {">=", Kind::GreaterEqual}, {"~", Kind::Glob},
                                            {"<", Kind::Less},       {">", Kind::Greater}};
  auto left = sum();
  if (!left) return left;
  const auto found = std::ranges::find_if(kOperators, [&](const Operator& each) { return next_is(each.text); });
  if (found == std::end(kOperators)) {
    if (next_is("=")) return wrong(at(), "unknown operator '='", "did you mean '=='?");
    return left;
  }
  take_token(found->text);
  auto right = value_for(*left, found->kind == Kind::Glob || found->kind == Kind::NotGlob);
  if (!right) return right;
  return add(found->kind, *left, *right);
}

FieldExpressionParser::Index FieldExpressionParser::value_for(u32 left, bool glob) {
  if (next_is("\"") || next_is("'")) return quoted();
  if (glob) return text_value();
  const Expression::Node& node = made_.nodes_[left];
  const FieldForm kind = node.kind == Kind::Field ? form_of(node) : FieldForm::Number;
  const std::string_view name = see_name();
  const bool field = !name.empty() && names_.kind(name) != FieldForm::Unknown;
  if (kind == FieldForm::Text && !field) return text_value();
  const bool is_word = !name.empty() && !is_digit(name.front());
  if (kind == FieldForm::Named && is_word && !field) return text_value();
  return sum();
}

FieldExpressionParser::Index FieldExpressionParser::sum() {
  static constexpr Operator kSums[] = {
      {"+", Kind::Add}, {"-", Kind::Subtract}, {"|", Kind::BitOr}, {"^", Kind::BitXor}};
  return joined(kSums, &FieldExpressionParser::product);
}

FieldExpressionParser::Index FieldExpressionParser::product() {
  static constexpr Operator kProducts[] = {{"*", Kind::Multiply}, {"/", Kind::Divide},     {"%", Kind::Modulo},
                                           {"&", Kind::BitAnd},   {"<<", Kind::ShiftLeft}, {">>", Kind::ShiftRight}};
  return joined(kProducts, &FieldExpressionParser::factor);
}

FieldExpressionParser::Index FieldExpressionParser::factor() {
  if (++depth_ > kDeepest) return wrong(at(), "nested too deeply");
  Index node;
  const std::size_t open = at();
  const bool is_not = next_is("!");
  if (take_token("!") || take_token("-")) {
    node = factor();
    if (node) node = add(is_not ? Kind::Not : Kind::Negate, *node, 0);
  } else if (take_token("(")) {
    node = condition();
    if (node && !take(')')) return wrong(open, "unmatched '('");
  } else if (is_digit(peek())) {
    node = number();
  } else if (next_is("\"") || next_is("'")) {
    node = quoted();
  } else {
    node = name();
  }
  --depth_;
  skip_blanks();
  return node;
}

FieldExpressionParser::Index FieldExpressionParser::number() {
  const std::size_t start = at();
  const std::string_view digits = take_word();
  auto value = parse_c_number<u64>(digits);
  if (!value) value = nanoseconds_of(digits);
  if (!value) return wrong(start, fmt::format("'{}' is not a number", digits), "times may have a unit: ns, us, ms, s");
  auto node = add(Kind::Number, 0, 0);
  if (node) made_.nodes_[*node].number = *value;
  return node;
}

std::string_view FieldExpressionParser::see_name() const {
  std::string_view name = see_while([](char c) { return is_word_character(c) || c == '.' || c == ':'; });
  while (!name.empty() && (name.back() == '.' || name.back() == ':')) name.remove_suffix(1);
  return name;
}

FieldExpressionParser::Index FieldExpressionParser::name() {
  const std::size_t start = at();
  const std::string_view name = see_name();
  if (name.empty()) return std::unexpected(expected_value());
  if (names_.kind(name) == FieldForm::Unknown) return std::unexpected(unknown_field(name, start, names_));
  take(name.size());
  auto node = add(Kind::Field, 0, 0);
  if (node) made_.nodes_[*node].number = names_.index(name);
  return node;
}

SyntaxError FieldExpressionParser::expected_value() const {
  if (at_end()) return {at(), "expected a field or a value at the end", {}, {}};
  return {at(), fmt::format("expected a field or a value before '{}'", rest().substr(0, 1)), {}, {}};
}

FieldExpressionParser::Index FieldExpressionParser::quoted() {
  const auto value = quoted_value();
  if (!value) return std::unexpected(value.error());
  skip_blanks();
  return add_text(std::string(*value));
}

std::string_view FieldExpressionParser::see_bare_text() const {
  std::size_t end = at();
  const std::string_view whole = text();
  for (; end < whole.size(); ++end) {
    const std::string_view next = whole.substr(end);
    if (is_blank(next.front()) || std::string_view("(),").contains(next.front()) || next.starts_with("&&") ||
        next.starts_with("||"))
      break;
  }
  return whole.substr(at(), end - at());
}

FieldExpressionParser::Index FieldExpressionParser::text_value() {
  const std::string_view value = see_bare_text();
  if (value.empty()) return std::unexpected(expected_value());
  take(value.size());
  skip_blanks();
  return add_text(std::string(value));
}

}  // namespace peregrine
