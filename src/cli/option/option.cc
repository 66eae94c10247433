#include "cli/option/option.h"

#include <algorithm>
#include <cstddef>

namespace peregrine {

namespace {

// "abs|rel|both" is a choice; "executable|path" and "FUNC[:LINE]|SRC" are not.
bool is_choice(std::string_view metavar) {
  if (!metavar.contains('|')) return false;
  if (metavar.find_first_not_of("abcdefghijklmnopqrstuvwxyz-|") != metavar.npos) return false;
  return !metavar.starts_with("path|") && !metavar.ends_with("|path");
}

}  // namespace

std::string value_words(const Option& option) {
  std::string words;
  if (option.words != nullptr) {
    for (const std::string_view word : option.words()) words.append(words.empty() ? "" : " ").append(word);
  } else if (is_choice(option.metavar)) {
    words = option.metavar;
    std::ranges::replace(words, '|', ' ');
  }
  return words;
}

std::string help_text(const Option& option) {
  constexpr std::string_view kPlace = "{words}";
  std::string text(option.help);
  const std::size_t at = text.find(kPlace);
  if (at == std::string::npos || option.words == nullptr) return text;
  return text.replace(at, kPlace.size(), value_words(option));
}

}  // namespace peregrine
