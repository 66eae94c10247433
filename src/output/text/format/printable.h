// printable: text of a recording made safe for a terminal. Names in perf.data are bytes that strangers chose.
//
// Control characters (escape sequences, newlines, C1 codes, direction overrides) and bytes that are not UTF-8 become
// \xNN; all else stays. Pure.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// True when the text can be shown as it is: the usual case, and cheap to know.
bool is_printable(std::string_view text);
std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);
// Lines of text whose parts may be raw: newlines, tabs and bytes beyond ASCII stay, other control characters become
// \xNN. has_controls() costs next to nothing per byte; only what it finds must go through without_controls().
bool has_controls(std::string_view lines);
std::string without_controls(std::string_view lines);
// Columns that it takes: one per character; wide characters are not told apart.
std::size_t display_width(std::string_view printable_text);
// As much of it as fits into so many columns.
std::string_view first_columns(std::string_view printable_text, std::size_t columns);

}  // namespace peregrine
