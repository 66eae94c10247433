#include "output/json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text/printable_text.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Bytes of the UTF-8 sequence at the start of `text`; 0 if it is malformed.
std::size_t sequence_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xc2 && first < 0xe0   ? 2
                           : (first & 0xf0) == 0xe0        ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : size;
}

u32 decoded(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence[0]);
  u32 code = static_cast<unsigned char>(sequence[0]) & (0xffU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

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
    const std::size_t size = sequence_size(text);
    const char c = text[0];
    if (size == 0)
      to += "\xef\xbf\xbd";
    else if (c == '"' || c == '\\')
      (to += '\\') += c;
    else if (c == '\n')
      to += "\\n";
    else if (c == '\t')
      to += "\\t";
    else if (const u32 code = decoded(text.substr(0, size)); is_control_character(code))
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
