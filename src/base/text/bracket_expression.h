// Bracket expressions of POSIX regular expressions: "[a-z_]", "[^]x]", "[[:alpha:][.-.]]".
//
// A backslash is an ordinary character in them. '-' is ordinary as the first and as the last character.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/ascii.h"
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

// Of a code point.
constexpr bool is_word_character(u32 c) { return c < 0x80 && is_word_character(static_cast<char>(c)); }

}  // namespace peregrine
