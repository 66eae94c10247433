#include "analysis/metric/expression_lexer.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text/ascii.h"

namespace peregrine {

namespace {

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_word(c) || c == '.' || c == ':' || c == '@' || c == '?'; }

}  // namespace

// Digits with at most one point, then an exponent: "12", ".5", "1e-9".
std::size_t ExpressionLexer::number_length() const {
  std::size_t end = at_, digits = 0;
  bool point = false;
  for (; end < text_.size() && (is_digit(text_[end]) || (text_[end] == '.' && !point)); ++end)
    text_[end] == '.' ? static_cast<void>(point = true) : static_cast<void>(++digits);
  if (digits == 0) return 0;
  if (end >= text_.size() || (text_[end] != 'e' && text_[end] != 'E')) return end - at_;
  std::size_t exponent = end + 1;
  if (exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+')) ++exponent;
  if (exponent >= text_.size() || !is_digit(text_[exponent])) return end - at_;
  while (exponent < text_.size() && is_digit(text_[exponent])) ++exponent;
  return exponent - at_;
}

std::size_t ExpressionLexer::name_length() const {
  std::size_t end = at_;
  while (end < text_.size()) {
    if (text_[end] == '\\' && end + 1 < text_.size())
      end += 2;
    else if (is_name(text_[end]))
      ++end;
    else
      break;
  }
  return end - at_;
}

ExpressionToken ExpressionLexer::take(ExpressionToken::Kind kind, std::size_t length) {
  const ExpressionToken token{.kind = kind, .at = at_, .text = text_.substr(at_, length)};
  at_ += length;
  return token;
}

ExpressionToken ExpressionLexer::next() {
  using Kind = ExpressionToken::Kind;
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
  if (at_ >= text_.size()) return take(Kind::End, 0);
  const char c = text_[at_];
  if (c == '#') {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    ExpressionToken token = take(Kind::Literal, end - at_);
    token.text.remove_prefix(1);
    return token;
  }
  // The longer one wins, the number among equals: "10" is a number, "0x10" and "1st.event" are names.
  const std::size_t number = number_length(), name = name_length();
  if (number > 0 && number >= name) {
    ExpressionToken token = take(Kind::Number, number);
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.number);
    return token;
  }
  if (name > 0) return take(Kind::Name, name);
  for (const std::string_view pair : {"<=", ">=", "==", "!="})
    if (text_.substr(at_).starts_with(pair)) return take(Kind::Operator, 2);
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
