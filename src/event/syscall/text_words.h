// next_word: removes the first word, up to a space, from a text. For the tables in this folder.
#pragma once
#include <algorithm>
#include <string_view>

namespace peregrine {

inline std::string_view next_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

}  // namespace peregrine
