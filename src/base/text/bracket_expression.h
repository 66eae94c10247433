// Bracket expressions of POSIX regular expressions: "[a-z_]", "[^]x]", "[[:alpha:][.-.]]".
//
// A backslash is an ordinary character in them. '-' is ordinary as the first and as the last character.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct BracketExpression {
  std::string re2;        // the same in RE2's syntax
  std::size_t end = 0;    // behind its ']'
  bool only_word = true;  // holds no character but letters, digits and '_', all of ASCII
};

// What is wrong, and where in the pattern.
struct PatternProblem {
  std::string what;
  std::size_t at = 0;
  ErrorKind kind = ErrorKind::Usage;
};

// `open`: the place of its '[' in `pattern`.
std::expected<BracketExpression, PatternProblem> parse_bracket_expression(std::string_view pattern, std::size_t open,
                                                                          bool utf8);

// Letters, digits and '_'.
constexpr bool is_word_character(u32 c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace peregrine
