// printable: makes text of a recording safe for terminals; names in perf.data are untrusted. For single values, see
// base/text/printable_text.h; this is for whole lines and widths. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/printable_text.h"  // IWYU pragma: export

namespace peregrine {

// Lines with possibly unsafe parts: newlines, tabs and non-ASCII bytes are kept, other control characters become \xNN.
// Call the cheap has_controls() first; without_controls() is needed only if it returns true.
bool has_controls(std::string_view lines);
std::string without_controls(std::string_view lines);
// Number of columns: one per character, even for wide ones.
std::size_t display_width(std::string_view printable_text);
// The prefix that fits into that many columns.
std::string_view first_columns(std::string_view printable_text, std::size_t columns);

}  // namespace peregrine
