#include "analysis/timeline/event_query.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace peregrine {

namespace {

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '[' || c == ']';
}

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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

EventQuery::EventQuery(std::string_view text) {
  for (const std::string& word : words_of(text)) terms_.push_back(parse(word));
}

EventQuery::Term EventQuery::parse(std::string_view word) {
  constexpr std::pair<std::string_view, Operator> kOperators[] = {
      {"!=", Operator::Unequal}, {"<=", Operator::AtMost}, {">=", Operator::AtLeast}, {"=", Operator::Equal},
      {"<", Operator::Less},     {">", Operator::Greater}, {"~", Operator::Contains},
  };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(word, is_name) - word.begin());
  for (const auto& [sign, how] : kOperators)
    if (end > 0 && word.substr(end).starts_with(sign))
      return {how, std::string(word.substr(0, end)), std::string(word.substr(end + sign.size()))};
  return {Operator::Text, {}, lower_case(word)};
}

// Numbers compare as numbers, everything else as text.
bool EventQuery::holds(const Term& term, std::string_view text) {
  if (term.how == Operator::Contains) return lower_case(text).contains(lower_case(term.value));
  const auto own = number_in(text), wanted = number_in(term.value);
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
