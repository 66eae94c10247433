// Splits option values such as "a,b" into items. Ignores empty items.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peregrine {

std::vector<std::string> split_words(std::string_view text, char separator = ',');

// Inserts the items of a comma-separated list into a set.
template <class Set>
void add_words(Set& set, std::string_view list) {
  for (std::string& word : split_words(list)) set.insert(std::move(word));
}

}  // namespace peregrine
