#include "analysis/timeline/event_query.h"

#include <algorithm>
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
  const auto own = parse_number<double>(text), wanted = parse_number<double>(term.value);
  const bool numbers = own && wanted;
  if (term.how == Operator::Equal) return numbers ? *own == *wanted : text == term.value;
  if (term.how == Operator::Unequal) return numbers ? *own != *wanted : text != term.value;
  if (!numbers) return false;
  if (term.how == Operator::Less) return *own < *wanted;
  if (term.how == Operator::Greater) return *own > *wanted;
  return term.how == Operator::AtMost ? *own <= *wanted : *own >= *wanted;
}

bool EventQuery::matches(const Subject& subject) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    if (term.how == Operator::Text)
      return lower_case(subject.event).contains(term.value) || subject.any_text(term.value);
    if (term.field == "event")
      return holds(term, subject.event) || holds(term, subject.event.substr(subject.event.find(':') + 1));
    const auto text = subject.field(term.field);
    return text && holds(term, *text);
  });
}

}  // namespace peregrine
