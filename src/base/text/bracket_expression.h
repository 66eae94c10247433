// Bracket expressions of POSIX regular expressions: "[a-z_]", "[^]x]", "[[:alpha:][.-.]]".
//
// In them, a backslash is an ordinary character, and so is '-' as the first or last character.
#pragma once
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/ascii.h"
#include "base/types.h"

namespace peregrine {

struct BracketExpression {
  std::string re2;        // equivalent in RE2's syntax
  std::size_t end = 0;    // position after its ']'
  bool only_word = true;  // contains only ASCII letters, digits and '_'
};

// The problem, and its position in the pattern.
struct PatternProblem {
  std::string what;
  std::size_t at = 0;
  ErrorKind kind = ErrorKind::Usage;
};

// `open`: position of the '[' in `pattern`.
std::expected<BracketExpression, PatternProblem> parse_bracket_expression(std::string_view pattern, std::size_t open,
                                                                          bool utf8);

// For a code point.
constexpr bool is_word_character(u32 c) { return c < 0x80 && is_word_character(static_cast<char>(c)); }

}  // namespace peregrine
