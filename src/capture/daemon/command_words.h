// command_words: splits a line of a config file into command line arguments.
//
// Arguments are separated by spaces; 'single' and "double" quotes keep spaces; a backslash keeps the next character.
// Nothing is expanded: `sched:*` is kept as is. Errors: Usage, an unterminated quote.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

Result<std::vector<std::string>> command_words(std::string_view line);

}  // namespace peregrine
