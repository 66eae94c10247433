#include "analysis/timeline/event_query.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"

namespace peregrine {

namespace {

bool is_in_field_name(char c) { return is_word_character(c) || c == '.' || c == '[' || c == ']'; }

// Splits at spaces outside of quotes, which are dropped.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

// Whole if it is written so and fits 64 bits.
struct Number {
  bool whole = false, negative = false;
  u64 size = 0;
  double value = 0;
};

std::optional<Number> number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (const auto size = to_number(digits)) {
    const auto value = static_cast<double>(*size);
    return Number{.whole = true, .negative = negative && *size != 0, .size = *size, .value = negative ? -value : value};
  }
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return Number{.value = *value};
}

std::partial_ordering compare(const Number& a, const Number& b) {
  if (!a.whole || !b.whole) return a.value <=> b.value;
  if (a.negative != b.negative) return b.negative <=> a.negative;
  return a.negative ? b.size <=> a.size : a.size <=> b.size;
}

}  // namespace

EventQuery::EventQuery(std::string_view text) {
  for (const std::string& word : words_of(text)) terms_.push_back(parse(word));
}

EventQuery::Term EventQuery::parse(std::string_view word) {
  constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"!=", Operator::Unequal}, {"<=", Operator::AtMost}, {">=", Operator::AtLeast}, {"=", Operator::Equal},
      {"<", Operator::Less},     {">", Operator::Greater}, {"~", Operator::Contains},
  };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(word, is_in_field_name) - word.begin());
  for (const auto& [sign, how] : kOperators)
    if (end > 0 && word.substr(end).starts_with(sign))
      return {how, std::string(word.substr(0, end)), std::string(word.substr(end + sign.size()))};
  return {Operator::Text, {}, lower_case(word)};
}

// Numbers compare as numbers, everything else as text.
bool EventQuery::holds(const Term& term, std::string_view text) {
  if (term.how == Operator::Contains) return lower_case(text).contains(lower_case(term.value));
  const auto own = number_of(text), wanted = number_of(term.value);
  if (!own || !wanted) {
    if (term.how == Operator::Equal) return text == term.value;
    return term.how == Operator::Unequal && text != term.value;
  }
  const std::partial_ordering order = compare(*own, *wanted);
  if (term.how == Operator::Equal) return order == 0;
  if (term.how == Operator::Unequal) return order != 0;
  if (term.how == Operator::Less) return order < 0;
  if (term.how == Operator::Greater) return order > 0;
  return term.how == Operator::AtMost ? order <= 0 : order >= 0;
}

bool EventQuery::holds_for_event(const Term& term, std::string_view name) {
  const bool full = holds(term, name), short_name = holds(term, name.substr(name.find(':') + 1));
  return term.how == Operator::Unequal ? full && short_name : full || short_name;
}

bool EventQuery::matches(const Subject& subject) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    if (term.how == Operator::Text)
      return lower_case(subject.event).contains(term.value) || subject.any_text(term.value);
    if (term.field == "event") return holds_for_event(term, subject.event);
    const auto text = subject.field(term.field);
    return text && holds(term, *text);
  });
}

}  // namespace peregrine
