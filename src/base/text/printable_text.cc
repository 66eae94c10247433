#include "base/text/printable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text/utf8.h"

namespace peregrine {
namespace {

bool is_plain_ascii(char c) { return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f; }

}  // namespace

bool is_printable(std::string_view text) {
  if (std::ranges::all_of(text, is_plain_ascii)) return true;
  while (!text.empty()) {
    const unsigned bytes = utf8_length(text);
    if (bytes == 0 || is_control_character(utf8_value(text, bytes))) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const unsigned valid = utf8_length(text), bytes = std::max(valid, 1u);
    if (valid != 0 && !is_control_character(utf8_value(text, valid))) {
      result.append(text.substr(0, bytes));
    } else {
      for (const char c : text.substr(0, bytes))
        fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(bytes);
  }
  return result;
}

void append_printable(std::string& out, std::string_view text) {
  if (is_printable(text)) {
    out += text;
  } else {
    out += printable(text);
  }
}

void make_printable(TextBuffer& out, std::size_t start) {
  const std::string_view text = out.view().substr(start);
  if (is_printable(text)) return;
  const std::string safe = printable(text);
  out.truncate(start);
  out.room(safe.size());
  out.put(safe);
}

std::string printable_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string result;
  for (;;) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    append_printable(result, line.substr(0, tab));
    if (tab == line.size()) return result;
    result += '\t';
    line.remove_prefix(tab + 1);
  }
}

}  // namespace peregrine
