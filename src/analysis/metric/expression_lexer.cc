#include "analysis/metric/expression_lexer.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"

namespace peregrine {

namespace {

bool is_name(char c) { return is_word_character(c) || c == '.' || c == ':' || c == '@' || c == '?'; }

}  // namespace

// Digits with at most one point and an optional exponent: "12", ".5", "1e-9".
std::size_t ExpressionLexer::number_length() const {
  TextCursor end = cursor_;
  std::size_t digits = end.take_while(is_digit).size();
  if (end.take('.')) digits += end.take_while(is_digit).size();
  if (digits == 0) return 0;
  const std::size_t length = end.at() - cursor_.at();
  if (!end.take('e') && !end.take('E')) return length;
  if (!end.take('-')) end.take('+');
  return end.take_while(is_digit).empty() ? length : end.at() - cursor_.at();
}

std::size_t ExpressionLexer::name_length() const {
  TextCursor end = cursor_;
  for (;;) {
    const bool is_escape = end.peek() == '\\' && end.rest().size() > 1;
    if (!is_escape && !is_name(end.peek())) break;
    end.take(std::size_t{is_escape ? 2u : 1u});
  }
  return end.at() - cursor_.at();
}

ExpressionToken ExpressionLexer::take(ExpressionToken::Kind kind, std::size_t length) {
  const std::size_t at = cursor_.at();
  return {.kind = kind, .at = at, .text = cursor_.take(length)};
}

ExpressionToken ExpressionLexer::next() {
  using Kind = ExpressionToken::Kind;
  cursor_.take_while([](char c) { return is_blank(c) || c == '\r'; });
  if (cursor_.at_end()) return take(Kind::End, 0);
  const char c = cursor_.peek();
  if (c == '#') {
    TextCursor end = cursor_;
    end.take('#');
    const auto name = end.take_while([](char each) { return is_word_character(each) || each == '.'; });
    ExpressionToken token = take(Kind::Literal, 1 + name.size());
    token.text.remove_prefix(1);
    return token;
  }
  // The longer match wins, and a number wins a tie: "10" is a number, "0x10" and "1st.event" are names.
  const std::size_t number = number_length(), name = name_length();
  if (number > 0 && number >= name) {
    ExpressionToken token = take(Kind::Number, number);
    token.number = leading_number<double>(token.text).value_or(0);
    return token;
  }
  if (name > 0) return take(Kind::Name, name);
  for (const std::string_view pair : {"<=", ">=", "==", "!="})
    if (cursor_.next_is(pair)) return take(Kind::Operator, 2);
  if (std::string_view("()+-*/%<>|&^,").find(c) != std::string_view::npos) return take(Kind::Operator, 1);
  return take(Kind::Bad, 1);
}

std::string event_of_name(std::string_view name, unsigned parameter) {
  std::string event;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size())
      event += name[++i];
    else if (name[i] == '@')
      event += '/';
    else if (name[i] == '?')
      event += fmt::format("{}", parameter);
    else
      event += name[i];
  }
  return event;
}

}  // namespace peregrine
