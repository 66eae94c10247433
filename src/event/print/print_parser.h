// print_parser: compiles the C code of a print format to nodes and steps of a PrintProgram.
//
// Untrusted input: depth and number of nodes are limited. Parsing stops at the first error.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"
#include "event/print/print_format.h"
#include "event/print/print_program.h"

namespace peregrine {

// Fills nodes, tables, steps and texts; reads fields, order and long_size. Returns the error; empty on success.
std::string parse_print_format(std::string_view text, PrintFormat::Program& program);

// Parses the pieces of a print format. After a failure everything reads as missing.
class PrintArguments {
 public:
  PrintArguments(std::string_view text, PrintFormat::Program& program) : rest_(text), program_(program) {
    program_.nodes.emplace_back();  // missing operands read as 0
  }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

  // The string literals here, joined and unescaped. `of_format`: tracefs prints the format string without escaping its
  // quotes, so a quote not followed by a comma, literal or the end is part of the text.
  std::string text(bool of_format = false);
  bool at_end();
  bool take(std::string_view mark);  // ",", "("
  u32 expression();
  // Records the first error; nothing is left to read afterwards.
  u32 refuse(std::string_view why);

 private:
  enum class Token : u8 { End, Word, Number, String, Char, Mark };
  // The token at the start of `rest_`, after skipping spaces.
  Token peek();
  std::string_view word();
  bool is_end_of_text(std::size_t quote) const;
  u32 ternary();
  u32 binary(unsigned lowest);
  u32 unary();
  u32 postfix();
  PrintNode element(u32 base) const;
  u32 target(u32 operand);
  u32 primary();
  u32 number();
  u32 character();
  u32 named();
  u32 call(std::string_view name);
  u32 names(bool flags, bool has_delimiter);
  std::optional<u64> table_value();
  u32 hex(bool blanks);
  u32 array(bool dynamic);
  u32 size_of();
  u32 dynamic(PrintNode::Kind kind);
  u32 record_field();
  std::optional<std::string_view> take_cast();
  void expect(std::string_view mark);
  u32 add(PrintNode node);
  u32 add_number(u64 value);
  std::string_view last_field(u32 node) const;
  std::optional<u32> find_field(std::string_view name) const;

  std::string_view rest_;
  PrintFormat::Program& program_;
  unsigned depth_ = 0;
  std::string error_;
};

// Size of a C type: "unsigned int" 4, "char *" long_size; 0 if unknown.
u8 size_of_type(std::string_view type, u8 long_size);

}  // namespace peregrine
