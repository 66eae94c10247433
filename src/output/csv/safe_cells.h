// Separated values that spreadsheets never interpret as formulas.
//
// Spreadsheets evaluate cells that begin with = + - @ tab or CR, and names of functions, programs and threads are
// untrusted. Such cells get a leading apostrophe; numbers are unchanged. Pure.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

struct CellStyle {
  std::string separator = ",";
  bool quoted = false;  // cells may be quoted (RFC 4180) and then contain the separator
};

// Appends one line, without its newline, to `out`.
void append_safe_cells(std::string_view line, const CellStyle& style, std::string& out);
// Lines including newlines.
std::string safe_lines(std::string_view text, const CellStyle& style);

}  // namespace peregrine
