// Separated values that spreadsheets take for texts and numbers, and never for formulas.
//
// A cell that begins with one of = + - @ tab CR is read as a formula by spreadsheets, and names of functions, programs
// and threads are chosen by strangers. Such a cell gets an apostrophe in front; numbers stay as they are. Pure.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

struct CellStyle {
  std::string separator = ",";
  bool quoted = false;  // cells may be in quotes (RFC 4180), and hold the separator then
};

// One line, without its end, appended to `out`.
void append_safe_cells(std::string_view line, const CellStyle& style, std::string& out);
// Lines, each with its end.
std::string safe_lines(std::string_view text, const CellStyle& style);

}  // namespace peregrine
