// Pattern: a regular expression that a user typed, matched by RE2.
//
// Patterns are POSIX regular expressions with the extensions of the GNU C library, as linux-perf's options take them;
// see posix_pattern.h. Time is linear in the text, memory is bounded, and the stack does not grow with either, so names
// from hostile files are safe. Back-references and some word boundaries cannot be matched that way: compile() refuses
// them.
//
// Letters beyond ASCII are characters where the pattern is valid UTF-8, otherwise bytes. matches() may be called from
// any thread.
#pragma once
#include <memory>
#include <string_view>

#include "base/result.h"

namespace peregrine {

enum class PatternSyntax {
  Extended,  // regcomp(3) with REG_EXTENDED
  Basic,     // without
};

class Pattern {
 public:
  // Errors: Usage, with the position; Unsupported, what RE2 cannot match.
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
