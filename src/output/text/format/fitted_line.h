// fitted_line: a title or status line that omits its least important parts where the terminal is narrow. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

struct LinePart {
  std::string text;   // printable
  unsigned rank = 0;  // the highest is omitted first, or the last of equal ones; 0: never omitted
};

// The parts that fit into `width` columns, with `gap` columns between them. Parts of rank 0 may still be too wide.
std::vector<LinePart> fitted_parts(std::vector<LinePart> parts, std::size_t width, std::size_t gap);
std::string fitted_line(std::vector<LinePart> parts, std::size_t width, std::string_view gap = "  ");

}  // namespace peregrine
