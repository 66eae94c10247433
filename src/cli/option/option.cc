#include "cli/option/option.h"

#include <cstddef>

namespace peregrine {

std::string value_words(const Option& option) {
  std::string words;
  if (option.words != nullptr)
    for (const std::string_view word : option.words()) words.append(words.empty() ? "" : " ").append(word);
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
