// The functions that print formats may call.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "event/print/print_names.h"
#include "event/print/print_parser.h"
#include "event/print/print_program.h"

namespace peregrine {

namespace {

using Node = PrintNode::Kind;

}  // namespace

u32 PrintArguments::call(std::string_view name) {
  expect("(");
  if (name.starts_with("__print_flags")) return names(true, true);
  if (name.starts_with("__print_symbolic")) return names(false, false);
  if (name == "__print_hex") return hex(true);
  if (name == "__print_hex_str") return hex(false);
  if (name == "__print_array") return array(false);
  if (name == "__print_dynamic_array") return array(true);
  if (name == "__get_str" || name == "__get_rel_str") {
    const u32 found = dynamic(Node::DynamicArray);
    program_.nodes[found].value = 1;  // text: the elements are characters
    return found;
  }
  if (name == "__get_dynamic_array" || name == "__get_rel_dynamic_array") return dynamic(Node::DynamicArray);
  if (name == "__get_dynamic_array_len" || name == "__get_rel_dynamic_array_len") return dynamic(Node::DynamicLength);
  const bool bits =
      name == "__get_bitmask" || name == "__get_rel_bitmask" || name == "__get_cpumask" || name == "__get_rel_cpumask";
  if (bits || name == "__get_sockaddr" || name == "__get_sockaddr_rel" || name == "__get_rel_sockaddr") {
    PrintNode node{.kind = bits ? Node::Bits : Node::Address};
    node.value = name.ends_with("cpumask") ? 1 : 0;
    node.a = dynamic(Node::DynamicArray);
    return add(std::move(node));
  }
  if (name == "__print_ns_to_secs" || name == "__print_ns_without_secs") {
    PrintNode node{.kind = Node::Seconds};
    node.value = name == "__print_ns_without_secs" ? 1 : 0;
    node.a = expression();
    expect(")");
    return add(std::move(node));
  }
  if (name == "__builtin_expect") {
    const u32 value = expression();
    expect(",");
    expression();
    expect(")");
    return value;
  }
  return refuse(fmt::format("unknown function {}", name));
}

// Parses "name)", where a field is named without REC.
u32 PrintArguments::dynamic(Node kind) {
  if (peek() != Token::Word) return refuse("missing field name");
  const std::string_view name = word();
  expect(")");
  const auto field = find_field(name);
  if (!field) return add({.kind = Node::Literal});
  return add({.kind = kind, .field = *field});
}

std::string_view PrintArguments::last_field(u32 index) const {
  if (index == PrintNode::kNone) return {};
  const PrintNode& node = program_.nodes[index];
  if (node.kind == Node::Field) return program_.fields[node.field].name;
  for (const u32 operand : {node.c, node.b, node.a}) {
    if (const auto name = last_field(operand); !name.empty()) return name;
  }
  return {};
}

// A constant; nullopt for an unknown name.
std::optional<u64> PrintArguments::table_value() {
  const u32 index = expression();
  if (program_.nodes[index].kind == Node::Word) return std::nullopt;
  return evaluate(program_, index, {});
}

// Parses "value, "|", { 1, "A" }, { 2, "B" })".
u32 PrintArguments::names(bool flags, bool has_delimiter) {
  PrintNode node{.kind = Node::Names};
  PrintNames table;
  table.flags = flags;
  node.a = expression();
  if (has_delimiter) {
    expect(",");
    table.delimiter = text();
  }
  while (!failed() && !take(")")) {
    expect(",");
    expect("{");
    if (take("}")) continue;  // an empty table
    PrintNames::Word entry;
    entry.value = table_value();
    expect(",");
    const bool named = peek() == Token::String;
    if (named)
      entry.text = text();
    else
      expression();  // a null pointer ends the table
    expect("}");
    if (named) table.words.push_back(std::move(entry));
  }
  table.field = last_field(node.a);
  node.value = program_.tables.size();
  program_.tables.push_back(std::move(table));
  return add(std::move(node));
}

u32 PrintArguments::hex(bool blanks) {
  PrintNode node{.kind = Node::Hex};
  node.value = blanks ? 1 : 0;
  node.a = expression();
  expect(",");
  node.b = expression();
  expect(")");
  return add(std::move(node));
}

// Parses "array, count, element size)"; a dynamic array has its count in the record.
u32 PrintArguments::array(bool is_dynamic) {
  PrintNode node{.kind = Node::Array};
  if (is_dynamic) {
    if (peek() != Token::Word) return refuse("missing field name");
    const auto field = find_field(word());
    if (!field) return refuse("array is not a field");
    node.a = add({.kind = Node::DynamicArray, .field = *field});
  } else {
    node.a = expression();
    expect(",");
    node.b = expression();
  }
  expect(",");
  const u32 bytes = expression();
  expect(")");
  node.bytes = static_cast<u8>(std::min<u64>(evaluate(program_, bytes, {}), 255));
  return add(std::move(node));
}

}  // namespace peregrine
