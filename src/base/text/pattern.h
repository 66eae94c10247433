// Pattern: a regular expression that a user typed, matched by RE2.
//
// Patterns are POSIX regular expressions with the extensions of the GNU C library, like those of linux-perf's options;
// see posix_pattern.h. Time is linear in the text, memory is bounded, and the stack does not grow with either, so
// names from hostile files are safe. Back-references and some word boundaries are impossible under these conditions,
// and compile() rejects them.
//
// Bytes beyond ASCII form UTF-8 characters if the pattern is valid UTF-8, otherwise each is a character. Any thread
// may call matches().
#pragma once
#include <memory>
#include <string_view>

#include "base/result.h"

namespace peregrine {

enum class PatternSyntax {
  Extended,  // regcomp(3) with REG_EXTENDED
  Basic,     // regcomp(3) without REG_EXTENDED
};

class Pattern {
 public:
  // Errors: Usage, with the position; Unsupported, RE2 cannot match it.
  static Result<Pattern> compile(std::string_view text, PatternSyntax syntax = PatternSyntax::Extended);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Whether some part of `text` matches.
  bool matches(std::string_view text) const;

 private:
  struct Program;
  explicit Pattern(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace peregrine
