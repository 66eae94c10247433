// The file or program that a nonexistent path or name probably means; used in hints.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// Returns "did you mean DIR/NAME?" for the nearest name in the same directory, or "".
std::string nearest_file_hint(std::string_view path);

// Same for a command to run: without a slash, searches the programs in `search_path` ($PATH).
std::string nearest_program_hint(std::string_view command, std::string_view search_path);

}  // namespace peregrine
