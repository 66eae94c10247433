// The text of an error in -e words: a title with the words, and a caret under the column, as linux-perf prints it.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

// A place in the words and what is wrong there. `details` follow on lines of their own.
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
