// FieldExpressionParser: parses expressions (the grammar is in expression.h).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/field/expression.h"
#include "analysis/field/field_values.h"
#include "base/types.h"
#include "event/filter/filter_scanner.h"
#include "event/term.h"

namespace peregrine {

class FieldExpressionParser : FilterScanner {
 public:
  FieldExpressionParser(std::string_view text, std::size_t column, UsedFields& names)
      : FilterScanner(text), names_(names) {
    move_to(column);
  }

  // The expression from here on; at() is the place after it.
  Parsed<Expression> run();
  using TextCursor::at;

 private:
  using Kind = Expression::Kind;
  using Index = Parsed<u32>;
  struct Operator {
    std::string_view text;
    Kind kind;
  };

  Index condition();
  Index all();
  Index comparison();
  Index sum();
  Index product();
  Index factor();
  Index number();
  Index name();
  Index quoted();
  Index text_value();
  // The value after a comparison with this node.
  Index value_for(u32 left, bool glob);
  // Operands joined by operators of one precedence.
  template <std::size_t N>
  Index joined(const Operator (&operators)[N], Index (FieldExpressionParser::*operand)());
  Index add(Kind kind, u32 left, u32 right);
  Index add_text(std::string text);
  FieldForm form_of(const Expression::Node& field) const {
    return names_.kind(names_.used()[static_cast<std::size_t>(field.number)]);
  }
  // Letters, digits, '_', and between them '.' and ':'.
  std::string_view see_name() const;
  std::string_view see_bare_text() const;
  SyntaxError expected_value() const;

  UsedFields& names_;
  Expression made_;
  unsigned depth_ = 0;
};

}  // namespace peregrine
