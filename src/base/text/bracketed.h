// bracketed: the current value in a file of the kernel that lists all values: "none [integrity] confidentiality".
#pragma once
#include <string_view>

namespace peregrine {

// The text in the first pair of brackets; empty without one.
constexpr std::string_view bracketed(std::string_view text) {
  const auto open = text.find('[');
  if (open == std::string_view::npos) return {};
  text.remove_prefix(open + 1);
  const auto close = text.find(']');
  return close == std::string_view::npos ? std::string_view() : text.substr(0, close);
}

}  // namespace peregrine
