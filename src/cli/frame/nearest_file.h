// The file or program that a nonexistent path or name probably means; used in hints.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// "did you mean DIR/NAME?" for the nearest name in the same directory, "" when none is near.
std::string nearest_file_hint(std::string_view path);

// The same for a command to be run: among the programs of `search_path` ($PATH) if it has no slash.
std::string nearest_program_hint(std::string_view command, std::string_view search_path);

}  // namespace peregrine
