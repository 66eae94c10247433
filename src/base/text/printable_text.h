// printable_text: makes untrusted text safe for terminals and for line-based readers: names of threads, programs
// and symbols may have any bytes.
//
// Control characters (escape sequences, newlines, C1 codes, direction overrides) and invalid UTF-8 become \xNN;
// everything else is unchanged. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/text_buffer.h"
#include "base/types.h"

namespace peregrine {

// A character that controls terminals, is invisible, or changes the direction of text.
constexpr bool is_control_character(u32 code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
         (code & 0xfffe) == 0xfffe;
}

// Whether the text can be shown unchanged: the usual case, and a cheap check.
bool is_printable(std::string_view text);
std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);
// Makes the text printable from `start` on.
void make_printable(TextBuffer& out, std::size_t start);
// A line of a file: tabs stay, and the carriage return at its end is removed.
std::string printable_line(std::string_view line);

}  // namespace peregrine
