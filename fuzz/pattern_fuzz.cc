// A regular expression, a newline, and a text: it matches or not, and RE2 accepts every translation or finds it too
// large. A text with escaped special characters matches itself.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/text/pattern.h"
#include "input.h"

namespace {

using namespace peregrine;

void try_syntax(std::string_view pattern, std::string_view text, PatternSyntax syntax) {
  const auto compiled = Pattern::compile(pattern, syntax);
  if (compiled)
    static_cast<void>(compiled->matches(text));
  else if (compiled.error().message.find(", at character ") == std::string::npos &&
           !compiled.error().message.ends_with("' is too large"))
    std::abort();
}

}  // namespace

void peregrine::fuzz_pattern(Bytes bytes) {
  const std::string_view all = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 4096)));
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string_view pattern = all.substr(0, end), text = all.substr(std::min(end + 1, all.size()));
  try_syntax(pattern, text, PatternSyntax::Extended);
  try_syntax(pattern, text, PatternSyntax::Basic);
  std::string escaped = "^";
  for (const char c : text) {
    if (std::string_view("\\^$.[]|()*+?{}").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  const auto itself = Pattern::compile(escaped + '$');
  if (!itself || !itself->matches(text)) std::abort();
}
