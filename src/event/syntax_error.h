// Errors in -e arguments as linux-perf prints them: a title with the text, and a caret under the column.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// A column and the error there. `details` follow on separate lines.
struct SyntaxError {
  std::size_t column = 0;
  std::string what;
  std::string details = {};
  std::string hint = {};
};

// event syntax error: 'cycles:x'
//                            \___ Bad modifier
Error format_syntax_error(std::string_view words, const SyntaxError& error);

}  // namespace peregrine
