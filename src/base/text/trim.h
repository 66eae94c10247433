// trim: removes blanks at both ends of a text. The result borrows from the text.
#pragma once
#include <string_view>

namespace peregrine {

// Blanks are those of isspace(3) in the C locale: newlines too.
inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace peregrine
