#include "base/text/pattern.h"

#include <re2/re2.h>

#include <expected>
#include <utility>

#include "base/text/posix_pattern.h"
#include "base/text/utf8.h"
#include "base/types.h"

namespace peregrine {
namespace {

// A limit, not a reservation. It allows 87,000 instructions, or about as many characters in a pattern; larger patterns
// would be slow.
constexpr i64 kMemoryLimit = i64{8} << 20;

RE2::Options options_for(bool utf8) {
  RE2::Options options;
  options.set_encoding(utf8 ? RE2::Options::EncodingUTF8 : RE2::Options::EncodingLatin1);
  options.set_max_mem(kMemoryLimit);
  options.set_longest_match(true);  // as in POSIX; also saves states, since the order of alternatives is irrelevant
  options.set_dot_nl(true);
  options.set_never_capture(true);
  options.set_log_errors(false);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Pattern::Program {
  Program(std::string_view text, bool utf8) : re2(piece(text), options_for(utf8)) {}
  RE2 re2;
};

Pattern::Pattern(std::unique_ptr<Program> program) : program_(std::move(program)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view text, PatternSyntax syntax) {
  const bool utf8 = is_utf8(text);
  const auto translated = re2_pattern(text, syntax, utf8);
  if (!translated) return std::unexpected(translated.error());
  auto program = std::make_unique<Program>(*translated, utf8);
  if (program->re2.ok()) return Pattern(std::move(program));
  if (program->re2.error_code() == RE2::ErrorPatternTooLarge)
    return fail(ErrorKind::Unsupported, "regular expression '{}' is too large", excerpt(text));
  return fail(ErrorKind::Usage, "invalid regular expression '{}': {}", excerpt(text), program->re2.error());
}

bool Pattern::matches(std::string_view text) const {
  return program_->re2.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

}  // namespace peregrine
