#include "capture/daemon/command_words.h"

#include <cstddef>

namespace peregrine {

Result<std::vector<std::string>> command_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // inside a word; a quoted word may be empty
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote != 0 ? c == quote : c == '\'' || c == '"')
      quote = quote != 0 ? '\0' : c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  if (quote != 0) return fail(ErrorKind::Usage, "unterminated {} in: {}", quote, line);
  return words;
}

}  // namespace peregrine
