#include "event/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace peregrine {

Error format_syntax_error(std::string_view words, const SyntaxError& error) {
  constexpr std::string_view kTitle = "event syntax error: '";
  constexpr std::size_t kMaxColumn = 13;  // if the error is further to the right, the beginning is cut off
  constexpr std::size_t kMaxShown = 60;
  std::size_t column = std::min(error.column, words.size());
  std::string shown(words);
  if (column > kMaxColumn) {
    shown = ".." + shown.substr(column - kMaxColumn + 2);
    column = kMaxColumn;
  }
  if (shown.size() > kMaxShown) shown.resize(kMaxShown);
  Error result{ErrorKind::Usage,
               fmt::format("{}{}'\n{:{}}\\___ {}", kTitle, shown, "", kTitle.size() + column, error.what)};
  if (!error.details.empty()) result.message += "\n\n" + error.details;
  result.hint = error.hint;
  return result;
}

}  // namespace peregrine
