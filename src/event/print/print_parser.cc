#include "event/print/print_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"

namespace peregrine {

namespace {

using Node = PrintNode::Kind;
using Op = PrintNode::Op;

bool word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Operator {
  std::string_view mark;
  Op op;
  unsigned rank;  // a higher rank binds tighter
};
// C's binary operators and precedence. Longer operators come first, because the first match wins.
constexpr Operator kPrintOperators[] = {
    {"<<", Op::Left, 8}, {">>", Op::Right, 8}, {"<=", Op::Le, 7},     {">=", Op::Ge, 7}, {"==", Op::Eq, 6},
    {"!=", Op::Ne, 6},   {"&&", Op::Both, 2},  {"||", Op::Either, 1}, {"<", Op::Lt, 7},  {">", Op::Gt, 7},
    {"&", Op::And, 5},   {"^", Op::Xor, 4},    {"|", Op::Or, 3},      {"+", Op::Add, 9}, {"-", Op::Sub, 9},
    {"*", Op::Mul, 10},  {"/", Op::Div, 10},   {"%", Op::Mod, 10},
};

// Constants that linux-perf knows without a definition in the format.
struct Constant {
  std::string_view name;
  u64 value;
};
constexpr Constant kConstants[] = {
    {"HI_SOFTIRQ", 0},      {"TIMER_SOFTIRQ", 1},    {"NET_TX_SOFTIRQ", 2},    {"NET_RX_SOFTIRQ", 3},
    {"BLOCK_SOFTIRQ", 4},   {"IRQ_POLL_SOFTIRQ", 5}, {"TASKLET_SOFTIRQ", 6},   {"SCHED_SOFTIRQ", 7},
    {"HRTIMER_SOFTIRQ", 8}, {"RCU_SOFTIRQ", 9},      {"HRTIMER_NORESTART", 0}, {"HRTIMER_RESTART", 1},
};

char escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

// True for a type as written in casts: "unsigned int", "struct page *".
bool is_type_text(std::string_view text) {
  return !text.empty() && word_start(text.front()) && std::all_of(text.begin(), text.end(), [](char c) {
    return word_start(c) || is_digit(c) || blank(c) || c == '*';
  });
}

}  // namespace

u8 size_of_type(std::string_view type, u8 long_size) {
  if (type.find('*') != type.npos) return long_size;
  for (const std::string_view prefix : {"const ", "unsigned ", "signed ", "__signed__ "}) {
    if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
  }
  while (!type.empty() && blank(type.back())) type.remove_suffix(1);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), type) != names.end();
  };
  if (is({"char", "u8", "s8", "__u8", "__s8", "bool", "uint8_t", "int8_t"})) return 1;
  if (is({"short", "u16", "s16", "__u16", "__s16", "uint16_t", "int16_t", "__be16", "__le16", "short int"})) return 2;
  if (is({"int", "unsigned", "signed", "uint", "u32", "s32", "__u32", "__s32", "uint32_t", "int32_t", "__be32",
          "__le32"}))
    return 4;
  if (is({"long long", "u64", "s64", "__u64", "__s64", "uint64_t", "int64_t", "__be64", "__le64", "long long int"}))
    return 8;
  return is({"long", "long int", "size_t", "ssize_t", "ulong", "uintptr_t"}) ? long_size : 0;
}

PrintArguments::Token PrintArguments::peek() {
  while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  if (rest_.empty()) return Token::End;
  const char c = rest_.front();
  if (word_start(c)) return Token::Word;
  if (is_digit(c)) return Token::Number;
  if (c == '"') return Token::String;
  return c == '\'' ? Token::Char : Token::Mark;
}

bool PrintArguments::at_end() { return peek() == Token::End; }

bool PrintArguments::take(std::string_view mark) {
  if (peek() != Token::Mark || !rest_.starts_with(mark)) return false;
  rest_.remove_prefix(mark.size());
  return true;
}

void PrintArguments::expect(std::string_view mark) {
  if (!take(mark)) refuse(fmt::format("missing '{}'", mark));
}

u32 PrintArguments::refuse(std::string_view why) {
  if (error_.empty()) error_ = fmt::format("{} before '{}'", why, rest_.substr(0, 40));
  rest_ = {};
  return 0;
}

std::string_view PrintArguments::word() {
  std::size_t length = 0;
  while (length < rest_.size() && (word_start(rest_[length]) || is_digit(rest_[length]))) ++length;
  const auto found = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return found;
}

bool PrintArguments::is_end_of_text(std::size_t quote) const {
  const std::size_t next = rest_.find_first_not_of(" \t\n", quote + 1);
  return next == rest_.npos || rest_[next] == ',' || rest_[next] == '"';
}

std::string PrintArguments::text(bool of_format) {
  std::string joined;
  if (peek() != Token::String) {
    refuse("missing string");
    return joined;
  }
  while (peek() == Token::String) {
    std::size_t at = 1;
    for (; at < rest_.size() && (rest_[at] != '"' || (of_format && !is_end_of_text(at))); ++at) {
      if (rest_[at] == '\\' && at + 1 < rest_.size())
        joined += escaped(rest_[++at]);
      else
        joined += rest_[at];
    }
    if (at >= rest_.size()) {
      refuse("unterminated string");
      break;
    }
    rest_.remove_prefix(at + 1);
  }
  return joined;
}

u32 PrintArguments::add(PrintNode node) {
  auto& nodes = program_.nodes;
  for (const u32 operand : {node.a, node.b, node.c}) {
    if (operand != PrintNode::kNone) node.depth = std::max<u16>(node.depth, nodes[operand].depth + 1);
  }
  if (node.depth > PrintFormat::Program::kMostDepth || nodes.size() >= PrintFormat::Program::kMostNodes)
    return refuse("expression too large");
  const auto constant = [&](u32 operand) { return operand == PrintNode::kNone || nodes[operand].kind == Node::Number; };
  const bool folds = node.kind == Node::Negate || node.kind == Node::Not || node.kind == Node::Complement ||
                     node.kind == Node::Binary || node.kind == Node::Ternary ||
                     (node.kind == Node::Cast && node.value == 0);
  nodes.push_back(std::move(node));
  const auto index = static_cast<u32>(nodes.size() - 1);
  const PrintNode& added = nodes.back();
  if (folds && constant(added.a) && constant(added.b) && constant(added.c)) {
    PrintNode number;
    number.value = evaluate(program_, index, {});
    nodes.back() = std::move(number);
  }
  return index;
}

u32 PrintArguments::add_number(u64 value) {
  PrintNode node;
  node.value = value;
  return add(std::move(node));
}

u32 PrintArguments::expression() {
  if (depth_ >= PrintFormat::Program::kMostDepth) return refuse("nested too deeply");
  ++depth_;
  const u32 result = ternary();
  --depth_;
  return result;
}

u32 PrintArguments::ternary() {
  const u32 condition = binary(1);
  if (!take("?")) return condition;
  PrintNode node{.kind = Node::Ternary, .a = condition};
  node.b = expression();
  expect(":");
  node.c = expression();
  return add(std::move(node));
}

u32 PrintArguments::binary(unsigned lowest) {
  u32 left = unary();
  while (peek() == Token::Mark) {
    const auto found = std::find_if(std::begin(kPrintOperators), std::end(kPrintOperators),
                                    [&](const Operator& one) { return rest_.starts_with(one.mark); });
    if (found == std::end(kPrintOperators) || found->rank < lowest) break;
    rest_.remove_prefix(found->mark.size());
    PrintNode node{.kind = Node::Binary, .op = found->op, .a = left};
    node.b = binary(found->rank + 1);
    left = add(std::move(node));
  }
  return left;
}

u32 PrintArguments::unary() {
  if (depth_ >= PrintFormat::Program::kMostDepth) return refuse("nested too deeply");
  ++depth_;
  struct Leave {
    unsigned& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  for (const auto& [mark, kind] : {std::pair{"!", Node::Not}, {"~", Node::Complement}, {"-", Node::Negate}}) {
    if (!take(mark)) continue;
    PrintNode node{.kind = kind};
    node.a = unary();
    return add(std::move(node));
  }
  if (take("+") || take("&")) return unary();  // an address is read as the data at that address
  if (take("*")) return target(unary());
  if (const auto type = take_cast()) {
    PrintNode node{.kind = Node::Cast};
    const bool pointer = type->find('*') != type->npos;
    if (pointer)
      node.value = std::max<u8>(size_of_type(type->substr(0, type->find('*')), program_.long_size), 1);
    else
      node.bytes = size_of_type(*type, program_.long_size);
    node.a = unary();
    return add(std::move(node));
  }
  return postfix();
}

// Takes "(unsigned int)" before an operand. "(name)" before something that could continue an expression is a
// parenthesized name instead.
std::optional<std::string_view> PrintArguments::take_cast() {
  if (peek() != Token::Mark || rest_.front() != '(') return std::nullopt;
  const auto close = rest_.find(')');
  if (close == rest_.npos) return std::nullopt;
  std::string_view type = rest_.substr(1, close - 1);
  while (!type.empty() && blank(type.front())) type.remove_prefix(1);
  while (!type.empty() && blank(type.back())) type.remove_suffix(1);
  if (!is_type_text(type) || type == "REC" || type == "__entry") return std::nullopt;
  std::string_view behind = rest_.substr(close + 1);
  while (!behind.empty() && blank(behind.front())) behind.remove_prefix(1);
  if (behind.empty()) return std::nullopt;
  const char next = behind.front();
  const bool operand = word_start(next) || is_digit(next) || next == '(' || next == '"' || next == '~' || next == '!';
  const bool known = size_of_type(type, 8) != 0 || type.find(' ') != type.npos || type.ends_with("_t");
  if (!operand && !(known && (next == '-' || next == '&' || next == '*' || next == '+'))) return std::nullopt;
  rest_.remove_prefix(close + 1);
  return type;
}

u32 PrintArguments::postfix() {
  u32 base = primary();
  while (take("[")) {
    PrintNode node = element(base);
    node.b = expression();
    expect("]");
    base = add(std::move(node));
  }
  return base;
}

// An element of an array or of a pointer's target, without its index so far.
PrintNode PrintArguments::element(u32 base) const {
  PrintNode node{.kind = Node::Element, .bytes = 1, .a = base};
  const PrintNode& of = program_.nodes[base];
  if (of.kind == Node::Field || (of.kind == Node::DynamicArray && of.value == 0))
    node.bytes = static_cast<u8>(std::min<u32>(program_.fields[of.field].element_size(), 255));
  else if (of.kind == Node::Cast && of.value != 0)
    node.bytes = static_cast<u8>(of.value);
  return node;
}

// What `*operand` reads: the first element of an array, or of a pointer's target; anything else is read unchanged.
u32 PrintArguments::target(u32 operand) {
  const PrintNode& of = program_.nodes[operand];
  const bool array = (of.kind == Node::Field && program_.fields[of.field].is_array) || of.kind == Node::DynamicArray ||
                     (of.kind == Node::Cast && of.value != 0);
  if (!array) return operand;
  PrintNode node = element(operand);
  node.b = add_number(0);
  return add(std::move(node));
}

u32 PrintArguments::primary() {
  switch (peek()) {
    case Token::Number:
      return number();
    case Token::Char:
      return character();
    case Token::Word:
      return named();
    case Token::String: {
      PrintNode node{.kind = Node::Literal};
      node.text = text();
      return add(std::move(node));
    }
    case Token::Mark:
      if (rest_.starts_with("(REC)") || rest_.starts_with("(__entry)")) {
        rest_.remove_prefix(rest_.find(')') + 1);
        return record_field();
      }
      if (take("(")) {
        const u32 inner = expression();
        expect(")");
        return inner;
      }
      break;
    case Token::End:
      break;
  }
  return refuse("missing operand");
}

u32 PrintArguments::number() {
  std::string_view digits = word();
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  const auto value = parse_c_number<u64>(digits);
  return value ? add_number(*value) : refuse(fmt::format("'{}' is not a number", digits));
}

u32 PrintArguments::character() {
  const bool has_escape = rest_.size() > 1 && rest_[1] == '\\';
  const std::size_t length = has_escape ? 4 : 3;
  if (rest_.size() < length || rest_[length - 1] != '\'') return refuse("unterminated character");
  const char value = has_escape ? (rest_[2] == '0' ? '\0' : escaped(rest_[2])) : rest_[1];
  rest_.remove_prefix(length);
  return add_number(static_cast<u8>(value));
}

u32 PrintArguments::named() {
  const std::string_view name = word();
  if (name == "REC" || name == "__entry") return record_field();
  if (name == "sizeof") return size_of();
  if (peek() == Token::Mark && rest_.front() == '(') return call(name);
  for (const Constant& constant : kConstants) {
    if (constant.name == name) return add_number(constant.value);
  }
  return add({.kind = Node::Word, .text = std::string(name)});
}

std::optional<u32> PrintArguments::find_field(std::string_view name) const {
  const auto found = std::find_if(program_.fields.begin(), program_.fields.end(),
                                  [&](const TraceField& field) { return field.name == name; });
  if (found == program_.fields.end()) return std::nullopt;
  return static_cast<u32>(found - program_.fields.begin());
}

// Parses "->name" after REC. An unknown field reads as 0.
u32 PrintArguments::record_field() {
  expect("->");
  if (peek() != Token::Word) return refuse("missing field name");
  std::string_view name = word();
  while (rest_.starts_with(".")) {  // "graph_ent.func": the field is named "func"
    rest_.remove_prefix(1);
    name = word();
  }
  const auto field = find_field(name);
  if (!field) return add_number(0);
  return add({.kind = Node::Field, .field = *field});
}

// Parses "sizeof(u64)" and "sizeof(REC->comm)".
u32 PrintArguments::size_of() {
  expect("(");
  if (peek() == Token::Word && !rest_.starts_with("REC") && !rest_.starts_with("__entry")) {
    const auto close = rest_.find(')');
    if (close == rest_.npos) return refuse("unterminated sizeof");
    const u8 size = size_of_type(rest_.substr(0, close), program_.long_size);
    if (size == 0) return refuse("unknown type size");
    rest_.remove_prefix(close + 1);
    return add_number(size);
  }
  const u32 operand = expression();
  expect(")");
  const PrintNode& node = program_.nodes[operand];
  return add_number(node.kind == Node::Field ? program_.fields[node.field].size : node.bytes);
}

}  // namespace peregrine
