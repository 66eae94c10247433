#include "output/text/format/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/text/utf8.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr unsigned char kC1Lead = 0xc2;         // first byte of U+0080 to U+009f in UTF-8
constexpr unsigned char kDirectionLead = 0xe2;  // of U+2000 to U+2fff, which has the direction overrides

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

// Whether the text contains only printable ASCII, newlines and tabs. After adding 1, any byte that is not printable
// ASCII is below '!' as a signed char; the XOR then excepts newline and tab.
bool is_plain_text(std::string_view lines) {
  return is_free_of(lines, [](Block bytes) -> Flags {
    return (reinterpret_cast<Flags>(bytes + 1) < '!') ^ ((bytes == '\n') | (bytes == '\t'));
  });
}

bool has_control_bytes(std::string_view lines) {
  return !is_free_of(lines, [](Block bytes) -> Flags {
    return ((bytes < 0x20) & (bytes != '\n') & (bytes != '\t')) | (bytes == 0x7f) | (bytes == kC1Lead) |
           (bytes == kDirectionLead);
  });
}

}  // namespace

// Checks sixteen bytes at a time without an early exit, because all text of `script` passes through here. Most of it is
// plain ASCII, and testing for that takes half the time of the full test.
bool has_controls(std::string_view lines) { return !is_plain_text(lines) && has_control_bytes(lines); }

std::string without_controls(std::string_view lines) {
  std::string result;
  while (!lines.empty()) {
    const unsigned valid = utf8_length(lines);
    const std::string_view character = lines.substr(0, std::max(valid, 1u));
    lines.remove_prefix(character.size());
    const bool stays = valid == 0 || character == "\n" || character == "\t";
    if (stays || !is_control_character(utf8_value(character, valid))) {
      result += character;
      continue;
    }
    for (const char c : character)
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
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
