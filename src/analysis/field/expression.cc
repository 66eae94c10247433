#include "analysis/field/expression.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <expected>
#include <utility>

#include "analysis/field/expression_parser.h"
#include "base/nearest.h"
#include "base/number/wide_number.h"
#include "base/text/listed.h"
#include "event/syntax_error.h"

namespace peregrine {

namespace {

// Numbers that need more than 64 bits lose the others.
i128 wrapped(i128 exact) {
  const u64 bits = static_cast<u64>(exact);
  if (exact == i128{bits}) return exact;
  return static_cast<i64>(bits);
}

}  // namespace

Parsed<Expression> Expression::parse_at(std::string_view text, std::size_t& column, UsedFields& names) {
  FieldExpressionParser parser(text, column, names);
  auto parsed = parser.run();
  column = parser.at();
  return parsed;
}

Parsed<Expression> Expression::parse(std::string_view text, UsedFields& names) {
  std::size_t column = 0;
  auto parsed = parse_at(text, column, names);
  if (!parsed || column == text.size()) return parsed;
  const std::string_view rest = text.substr(column);
  if (rest.starts_with(')')) return wrong(column, "unmatched ')'");
  return wrong(column, fmt::format("unexpected '{}'", rest.substr(0, rest.find_first_of(" \t"))),
               "join conditions with && or ||");
}

std::optional<i128> Expression::number(const FieldValues& values) const {
  return number(static_cast<u32>(nodes_.size() - 1), values);
}

bool Expression::append(std::string& out, const FieldValues& values) const {
  return append(out, static_cast<u32>(nodes_.size() - 1), values);
}

std::optional<i128> Expression::number(u32 index, const FieldValues& values) const {
  const Node& node = nodes_[index];
  const auto holds = [&](u32 part) { return number(part, values).value_or(0) != 0; };
  switch (node.kind) {
    case Kind::Number:
      return node.number;
    case Kind::Text:
      return std::nullopt;
    case Kind::Field:
      return values.number(static_cast<std::size_t>(node.number));
    case Kind::Not:
      return holds(node.left) ? 0 : 1;
    case Kind::And:
      return holds(node.left) && holds(node.right) ? 1 : 0;
    case Kind::Or:
      return holds(node.left) || holds(node.right) ? 1 : 0;
    case Kind::Equal:
    case Kind::NotEqual:
    case Kind::Less:
    case Kind::LessEqual:
    case Kind::Greater:
    case Kind::GreaterEqual:
    case Kind::Glob:
    case Kind::NotGlob:
      return compare(node, values) ? 1 : 0;
    default:
      return calculate(node, values);
  }
}

bool Expression::compare(const Node& node, const FieldValues& values) const {
  if (node.kind == Kind::Glob || node.kind == Kind::NotGlob) return compare_text(node, values);
  const auto left = number(node.left, values), right = number(node.right, values);
  if (!left || !right) return compare_text(node, values);
  switch (node.kind) {
    case Kind::Equal:
      return *left == *right;
    case Kind::NotEqual:
      return *left != *right;
    case Kind::Less:
      return *left < *right;
    case Kind::LessEqual:
      return *left <= *right;
    case Kind::Greater:
      return *left > *right;
    default:
      return *left >= *right;
  }
}

// Text has no order.
bool Expression::compare_text(const Node& node, const FieldValues& values) const {
  std::string left, right;
  if (!append(left, node.left, values) || !append(right, node.right, values)) return false;
  switch (node.kind) {
    case Kind::Equal:
      return left == right;
    case Kind::NotEqual:
      return left != right;
    case Kind::Glob:
      return ::fnmatch(right.c_str(), left.c_str(), 0) == 0;
    case Kind::NotGlob:
      return ::fnmatch(right.c_str(), left.c_str(), 0) != 0;
    default:
      return false;
  }
}

std::optional<i128> Expression::calculate(const Node& node, const FieldValues& values) const {
  const auto left = number(node.left, values);
  if (!left) return std::nullopt;
  if (node.kind == Kind::Negate) return wrapped(-*left);
  const auto right = number(node.right, values);
  if (!right) return std::nullopt;
  constexpr i128 kWidth = 64;
  const int places = static_cast<int>(*right >= 0 && *right < kWidth ? *right : kWidth);
  switch (node.kind) {
    case Kind::Add:
      return wrapped(*left + *right);
    case Kind::Subtract:
      return wrapped(*left - *right);
    case Kind::BitOr:
      return wrapped(*left | *right);
    case Kind::BitXor:
      return wrapped(*left ^ *right);
    case Kind::BitAnd:
      return wrapped(*left & *right);
    case Kind::Multiply: {
      i128 product = 0;
      const bool overflows = __builtin_mul_overflow(*left, *right, &product);
      return overflows ? static_cast<i64>(static_cast<u64>(*left) * static_cast<u64>(*right)) : wrapped(product);
    }
    case Kind::Divide:
      return *right != 0 ? std::optional(wrapped(*left / *right)) : std::nullopt;
    case Kind::Modulo:
      return *right != 0 ? std::optional(wrapped(*left % *right)) : std::nullopt;
    case Kind::ShiftLeft:
      return places < kWidth ? wrapped(*left << places) : 0;
    default:
      return *left >> places;
  }
}

bool Expression::append(std::string& out, u32 index, const FieldValues& values) const {
  const Node& node = nodes_[index];
  if (node.kind == Kind::Field) return values.append(out, static_cast<std::size_t>(node.number));
  if (node.kind == Kind::Text) {
    out += node.text;
    return true;
  }
  const auto result = number(index, values);
  if (result) out += fmt::to_string(*result);
  return result.has_value();
}

SyntaxError unknown_field(std::string_view name, std::size_t column, const UsedFields& names) {
  constexpr std::size_t kShown = 24;
  const std::vector<std::string> all = names.all();
  const std::vector<std::string_view> known(all.begin(), all.end());
  SyntaxError error{column, fmt::format("unknown field '{}'", name), "fields: " + listed(all, kShown), {}};
  if (const auto near = nearest(name, known)) error.hint = fmt::format("did you mean '{}'?", *near);
  return error;
}

}  // namespace peregrine
