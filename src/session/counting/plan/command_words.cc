#include "session/counting/plan/command_words.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>

namespace peregrine {

namespace {

bool only_for_shells(char c) { return std::string_view("$`|&;<>*?()[]{}~#!\n").find(c) != std::string_view::npos; }

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    const bool blank = quote == 0 && (c == ' ' || c == '\t');
    if (blank) {
      in_word = false;
      continue;
    }
    if (quote == 0 && only_for_shells(c))
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("'{}' in '{}' needs a shell", c, text),
                                   "use sh -c '…' for both commands; the shell is counted, too"});
    if (!in_word) words.emplace_back();
    in_word = true;
    if (escapes)
      words.back() += text[++i];
    else if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else
      words.back() += c;
  }
  if (quote != 0) return fail(ErrorKind::Usage, "unterminated quote in '{}'", text);
  return words;
}

}  // namespace peregrine
