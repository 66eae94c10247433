#include "output/json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text/printable_text.h"
#include "base/text/utf8.h"
#include "base/types.h"

namespace peregrine {

namespace {

std::string escape(u32 code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const u32 rest = code - 0x10000;  // as two surrogates
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

std::string json_escaped(std::string_view text) {
  std::string result;
  append_json_escaped(result, text);
  return result;
}

void append_json_escaped(std::string& to, std::string_view text) {
  for (;;) {
    const auto run = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    to += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) return;
    const unsigned size = utf8_length(text);
    const char c = text[0];
    if (size == 0)
      to += "\xef\xbf\xbd";
    else if (c == '"' || c == '\\')
      (to += '\\') += c;
    else if (c == '\n')
      to += "\\n";
    else if (c == '\t')
      to += "\\t";
    else if (const u32 code = utf8_value(text, size); is_control_character(code))
      to += escape(code);
    else
      to += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
}

// Most text needs no escaping and goes to the sink without a copy.
void append_json_escaped(Sink& to, std::string_view text) {
  if (std::ranges::all_of(text, is_plain))
    to.append(text);
  else
    to.append(json_escaped(text));
}

}  // namespace peregrine
