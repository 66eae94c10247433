// print_parser: the C of a print format → nodes and steps of a PrintProgram.
//
// Untrusted input: depth and number of nodes are limited. The first thing that is not understood ends it.
#pragma once
#include "event/print/print_program.h"

namespace peregrine {

// Fills nodes, tables, steps and texts; reads fields, order and long_size. What was not understood; empty: all was.
std::string parse_print_format(std::string_view text, PrintFormat::Program& program);

// Reads what stands in a print format, piece by piece. Once failed, everything is missing.
class PrintArguments {
 public:
  PrintArguments(std::string_view text, PrintFormat::Program& program) : rest_(text), program_(program) {
    program_.nodes.emplace_back();  // what there is no operand for reads as 0
  }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

  // The string literals that stand here, joined and unescaped. `of_format`: tracefs shows the format's own text without
  // the escapes of its quotes; one that no comma, literal or end follows belongs to the text.
  std::string text(bool of_format = false);
  bool at_end();
  bool take(std::string_view mark);  // ",", "("
  u32 expression();
  // Remembers the first complaint; from then on nothing is left to read.
  u32 refuse(std::string_view why);

 private:
  enum class Token : u8 { End, Word, Number, String, Char, Mark };
  // What `rest_` starts with, blanks dropped.
  Token peek();
  std::string_view word();
  bool is_end_of_text(std::size_t quote) const;
  u32 ternary();
  u32 binary(unsigned lowest);
  u32 unary();
  u32 postfix();
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

// Bytes of a C type: "unsigned int" 4, "char *" long_size; 0: not a type of known size.
u8 size_of_type(std::string_view type, u8 long_size);

}  // namespace peregrine
