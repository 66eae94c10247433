// re2_pattern: translates a POSIX regular expression to RE2's syntax.
//
// It accepts what glibc's regcomp(3) accepts: intervals, bracket expressions with classes, the context-dependent
// operators of basic expressions, and the GNU operators \w \W \s \S \b \B \< \> \` \'. The output uses no other
// features of RE2. Where glibc reports an error, so does this, with the position.
//
// Rejected because RE2 has no lookahead: back-references; \< unless a letter, digit or '_' must follow, and \> unless
// one must precede (elsewhere they differ from \b).
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/pattern.h"

namespace peregrine {

// `utf8`: bytes beyond ASCII form UTF-8 characters; `text` must then be valid UTF-8. Errors: Usage, Unsupported.
Result<std::string> re2_pattern(std::string_view text, PatternSyntax syntax, bool utf8);

}  // namespace peregrine
