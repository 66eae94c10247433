#include "output/text/format/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr unsigned char kC1Lead = 0xc2;  // first byte of U+0080 to U+009f in UTF-8

bool plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f; }

// The character at the start of `text`: its size in bytes and its code point. The size is 0 if it is malformed.
struct Character {
  std::size_t bytes = 0;
  u32 code = 0;
};
Character decode_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  u32 code = lead & (0xffu >> (bytes + 1));
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(at) & 0x3fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {bytes, code};
}

bool is_control(u32 code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
         (code & 0xfffe) == 0xfffe;
}

using Block = unsigned char __attribute__((vector_size(16)));
using Flags = signed char __attribute__((vector_size(16)));

// Returns true if `flags_of` flags nothing in any block of the text.
template <class F>
bool is_free_of(std::string_view text, F flags_of) {
  Flags found{};
  Block block;
  for (; text.size() >= sizeof block; text.remove_prefix(sizeof block)) {
    std::memcpy(&block, text.data(), sizeof block);
    found |= flags_of(block);
  }
  block = Block{} + ' ';
  if (!text.empty()) std::memcpy(&block, text.data(), text.size());
  found |= flags_of(block);
  u64 halves[2];
  std::memcpy(halves, &found, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

// Whether the text has only printable ASCII, newlines and tabs. After adding 1, every other byte is negative or below
// '!' as a signed char.
bool is_plain_text(std::string_view lines) {
  return is_free_of(lines, [](Block bytes) -> Flags {
    return (reinterpret_cast<Flags>(bytes + 1) < '!') ^ ((bytes == '\n') | (bytes == '\t'));
  });
}

bool has_control_bytes(std::string_view lines) {
  return !is_free_of(lines, [](Block bytes) -> Flags {
    return ((bytes < 0x20) & (bytes != '\n') & (bytes != '\t')) | (bytes == 0x7f) | (bytes == kC1Lead);
  });
}

}  // namespace

bool is_printable(std::string_view text) {
  if (std::ranges::all_of(text, plain)) return true;
  while (!text.empty()) {
    const Character character = decode_character(text);
    if (character.bytes == 0 || is_control(character.code)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = decode_character(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes != 0 && !is_control(character.code)) {
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

// Checks sixteen bytes at a time without an early exit, because all text of `script` passes through here. Most of it is
// plain ASCII, and testing for that takes half the time of the full test.
bool has_controls(std::string_view lines) { return !is_plain_text(lines) && has_control_bytes(lines); }

std::string without_controls(std::string_view lines) {
  std::string result;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto byte = static_cast<unsigned char>(lines[at]);
    const bool c1 =
        byte == kC1Lead && at + 1 < lines.size() && static_cast<unsigned char>(lines[at + 1]) - 0x80u < 0x20u;
    if (c1) {
      fmt::format_to(std::back_inserter(result), "\\xc2\\x{:02x}", static_cast<unsigned char>(lines[++at]));
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
    } else {
      result += lines[at];
    }
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string_view first_columns(std::string_view printable_text, std::size_t columns) {
  std::size_t at = 0;
  const auto continues = [&] { return (static_cast<unsigned char>(printable_text[at]) & 0xc0) == 0x80; };
  for (; at < printable_text.size(); ++at)
    if (!continues() && columns-- == 0) break;
  return printable_text.substr(0, at);
}

}  // namespace peregrine
