// ExpressionLexer: tokenizes a metric's formula. Owned by the parser; borrows the text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/text_cursor.h"
#include "base/types.h"

namespace peregrine {

struct ExpressionToken {
  enum class Kind : u8 { End, Number, Name, Literal, Operator, Bad } kind = Kind::End;
  std::size_t at = 0;     // column of the first character, from 0
  std::string_view text;  // as written, Literal without '#'
  double number = 0;
};

class ExpressionLexer {
 public:
  explicit ExpressionLexer(std::string_view text) : cursor_(text) {}
  ExpressionToken next();

 private:
  std::size_t number_length() const;
  std::size_t name_length() const;
  ExpressionToken take(ExpressionToken::Kind kind, std::size_t length);

  TextCursor cursor_;
};

// "cpu@event\=0x3c@" → "cpu/event=0x3c/", '?' → the parameter.
std::string event_of_name(std::string_view name, unsigned parameter);

}  // namespace peregrine
