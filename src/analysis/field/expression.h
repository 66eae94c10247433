// Expression: arithmetic, comparisons and conditions over fields: `ret < 0 && comm == dd`, `bytes_req / 1024`.
//
//   condition := all ('||' all)*           all  := one ('&&' one)*
//   one       := sum (OPERATOR value)?     OPERATOR is == != < <= > >= ~ !~ (glob)
//   sum       := product (('+' | '-' | '|' | '^') product)*
//   product   := factor (('*' | '/' | '%' | '&' | '<<' | '>>') factor)*
//   factor    := ('-' | '!') factor | '(' condition ')' | NUMBER | "text" | FIELD
//
// Numbers are exact from -2^63 to 2^64-1, so those of signed and of unsigned fields compare as they should; larger
// results wrap around. `>>` keeps the sign. Numbers may have a unit of time (5ms is 5,000,000). After a
// comparison, text needs no quotes, as in tracepoint filters. A comparison with a field that the event lacks is false;
// other results are missing. Division by 0 is missing, too.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/field/field_values.h"
#include "base/number/wide_number.h"
#include "base/types.h"
#include "event/term.h"

namespace peregrine {

class Expression {
 public:
  // Parses all of `text`, and adds the fields it uses to `names`. Errors: syntax, unknown fields.
  static Parsed<Expression> parse(std::string_view text, UsedFields& names);
  // The same for the start of `text` from `column` on; sets `column` to the end.
  static Parsed<Expression> parse_at(std::string_view text, std::size_t& column, UsedFields& names);

  // Nothing: a field is missing, or is text.
  std::optional<i128> number(const FieldValues& values) const;
  bool holds(const FieldValues& values) const { return number(values).value_or(0) != 0; }
  // Appends the result as text; returns false if it is missing.
  bool append(std::string& out, const FieldValues& values) const;
  // Whether it is just a field of FieldForm::Time.
  bool is_time() const { return is_time_; }
  // As the user wrote it.
  const std::string& text() const { return text_; }

 private:
  friend class FieldExpressionParser;
  enum class Kind : u8 {
    Number,
    Text,
    Field,
    Negate,
    Not,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Glob,
    NotGlob,
    Add,
    Subtract,
    BitOr,
    BitXor,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    ShiftLeft,
    ShiftRight
  };
  struct Node {
    Kind kind = Kind::Number;
    u32 left = 0, right = 0;  // nodes
    i128 number = 0;          // or the index of a field
    std::string text = {};
  };

  std::optional<i128> number(u32 node, const FieldValues& values) const;
  bool append(std::string& out, u32 node, const FieldValues& values) const;
  bool compare(const Node& node, const FieldValues& values) const;
  bool compare_text(const Node& node, const FieldValues& values) const;
  std::optional<i128> calculate(const Node& node, const FieldValues& values) const;

  std::vector<Node> nodes_;  // the root is the last
  bool is_time_ = false;
  std::string text_;
};

// "no event has a field 'x'", with the known ones and the nearest.
SyntaxError unknown_field(std::string_view name, std::size_t column, const UsedFields& names);

}  // namespace peregrine
