// command_words: one line of a config file as the words of a command line.
//
// Blanks separate; 'single' and "double" quotes keep blanks; a backslash keeps the next character. Nothing is expanded:
// `sched:*` stays as it is. Errors: Usage, a quote without an end.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

Result<std::vector<std::string>> command_words(std::string_view line);

}  // namespace peregrine
