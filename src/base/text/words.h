// Splits option values such as "a,b" into words. Ignores empty words.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peregrine {

std::vector<std::string> split_words(std::string_view text, char separator = ',');

// Inserts the words of a comma-separated list into a set.
template <class Set>
void add_words(Set& set, std::string_view list) {
  for (std::string& word : split_words(list)) set.insert(std::move(word));
}

}  // namespace peregrine
