#include "output/csv/safe_cells.h"

#include <algorithm>
#include <cstddef>

#include "base/text/ascii.h"

namespace peregrine {
namespace {

constexpr std::string_view kDangerous = "=+-@\t\r";
constexpr std::string_view kPassedOver = " \"'";  // characters that spreadsheets may skip at the start of a cell

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// Accepts a sign, digits, a fraction, an exponent and a percent sign; all but the digits are optional.
bool is_number(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t first = at;
  at = skip_digits(text, at);
  if (at == first) return false;
  if (at < text.size() && text[at] == '.') at = skip_digits(text, at + 1);
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = at + 1;
    const bool has_sign = sign < text.size() && (text[sign] == '-' || text[sign] == '+');
    const std::size_t end = skip_digits(text, sign + (has_sign ? 1 : 0));
    if (end == sign + (has_sign ? 1 : 0)) return false;
    at = end;
  }
  if (at < text.size() && text[at] == '%') ++at;
  return text.find_first_not_of(' ', at) == std::string_view::npos;
}

void append_cell(std::string_view cell, bool in_quotes, std::string& out) {
  const std::size_t first = cell.find_first_not_of(kPassedOver);
  const bool dangerous = first != std::string_view::npos && kDangerous.find(cell[first]) != std::string_view::npos;
  if (!dangerous || is_number(cell.substr(cell.find_first_not_of(' ')))) {
    out += cell;
  } else if (in_quotes) {
    out.append("\"'").append(cell.substr(1));
  } else {
    out.append("'").append(cell);
  }
}

// Returns the position after the quote that closes a cell.
std::size_t end_of_quotes(std::string_view line, std::size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') continue;
    if (at + 1 == line.size() || line[at + 1] != '"') return at + 1;
    ++at;
  }
  return line.size();
}

}  // namespace

void append_safe_cells(std::string_view line, const CellStyle& style, std::string& out) {
  if (style.separator.empty()) return append_cell(line, false, out);  // one cell
  for (std::size_t at = 0;;) {
    const bool in_quotes = style.quoted && at < line.size() && line[at] == '"';
    const std::size_t from = in_quotes ? end_of_quotes(line, at) : at;
    const std::size_t end = std::min(line.find(style.separator, from), line.size());
    append_cell(line.substr(at, end - at), in_quotes, out);
    if (end == line.size()) return;
    out += style.separator;
    at = end + style.separator.size();
  }
}

std::string safe_lines(std::string_view text, const CellStyle& style) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_safe_cells(text.substr(0, end), style, safe);
    if (end != text.size()) safe += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

}  // namespace peregrine
