#include "base/text/posix_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/bracket_expression.h"
#include "base/text/utf8.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr std::size_t kPatternLimit = std::size_t{128} << 10;  // execve(2) allows no longer argument
constexpr std::size_t kTextLimit = std::size_t{1} << 20;
constexpr u32 kRepeatLimit = 32767;          // RE_DUP_MAX
constexpr u32 kRe2RepeatLimit = 1000;        // for one repetition, and for the product of nested ones
constexpr std::size_t kNestingLimit = 1000;  // nested groups
constexpr std::size_t kStackedLimit = 10;    // operators in a row, as in "a{2}*{3}"
constexpr u64 kStepLimit = 100'000;  // characters with repetitions expanded; RE2 rejects more only after building it
constexpr u32 kNoLimit = ~u32{0};

constexpr std::string_view kWord = "[0-9A-Za-z_]", kNotWord = "[^0-9A-Za-z_]";
constexpr std::string_view kSpace = "[[:space:]]", kNotSpace = "[^[:space:]]";

struct Bounds {
  u32 least = 0, most = kNoLimit;
  bool is_letter = true;  // the operator is *, + or ?
};

// The last element of the output, which a repetition operator would apply to.
struct Atom {
  std::size_t text = 0;         // offset in the output
  u32 repeats = 1;              // the repetition count that RE2 computes
  u64 steps = 1;                // expanded number of characters
  bool ends_with_word = false;  // the last character matches \w
  bool begins_with_word = false;
};

// Translates in one pass, without a syntax tree. `text_` is the RE2 pattern for everything read so far, valid except
// for the groups still open; an Atom keeps the offset of its last element, so that repetitions can still wrap it.
//
// `repeats` and `steps` follow the size of the program that RE2 would build, so that an excessive pattern is rejected
// before RE2 spends time and memory on it. `after_word_` and `word_start_` check that '\<' and '\>' equal RE2's \b.
class Translator {
 public:
  using Failure = std::unexpected<PatternProblem>;
  using Step = std::expected<void, PatternProblem>;

  Translator(std::string_view pattern, PatternSyntax syntax, bool utf8)
      : pattern_(pattern), extended_(syntax == PatternSyntax::Extended), utf8_(utf8) {}

  std::expected<std::string, PatternProblem> run() {
    if (pattern_.size() > kPatternLimit) return too_large(kPatternLimit);
    while (at_ < pattern_.size()) {
      if (auto step = read_next(); !step) return Failure(std::move(step.error()));
      if (text_.size() > kTextLimit) return too_large(at_);
    }
    if (!groups_.empty()) return Failure({.what = "'(' without ')'", .at = groups_.back().at});
    if (word_start_) return no_word(*word_start_);
    return std::move(text_);
  }

 private:
  // State saved at a '(', and what the alternatives read so far have in common.
  struct Group {
    std::size_t at = 0, text = 0;
    u32 repeats = 1;
    u64 steps = 0;
    bool outer_after_word = false;
    bool ends_with_word = true;
    std::optional<std::size_t> word_start = {};
    bool word_start_is_open = false;
  };
  // A one-letter operator in extended syntax. Basic syntax writes some of these with a backslash.
  struct Sign {
    char letter = 0;
    bool is_operator = false;
    std::size_t size = 1;
  };

  static Failure too_large(std::size_t at) {
    return Failure({.what = "too large", .at = at, .kind = ErrorKind::Unsupported});
  }
  static Failure no_word(std::size_t at) {
    return Failure(
        {.what = "'\\<' is supported only before a letter, digit or '_'", .at = at, .kind = ErrorKind::Unsupported});
  }

  bool is_at(std::size_t at, std::string_view text) const {
    return pattern_.substr(std::min(at, pattern_.size())).starts_with(text);
  }

  Sign sign() const {
    constexpr std::string_view kSigns = "(){}|+?";
    const char c = pattern_[at_];
    if (c != '\\') return {c, kSigns.find(c) == kSigns.npos || extended_, 1};
    if (at_ + 1 == pattern_.size()) return {c, true, 1};
    const char escaped = pattern_[at_ + 1];
    return {escaped, kSigns.find(escaped) != kSigns.npos && !extended_, 2};
  }

  Step read_next() {
    const std::size_t begin = at_;
    const Sign next = sign();
    if (next.size == 2 && !next.is_operator) return read_escape();
    if (!next.is_operator) return add_character();
    switch (next.letter) {
      case '\\':
        return Failure({.what = "trailing backslash", .at = begin});
      case '[':
        return add_bracket();
      case '.':
        ++at_;
        return add_atom(".", false);
      case '^':
      case '$':
        if (!is_anchor()) return add_character();
        ++at_;
        return add_anchor(next.letter == '^' ? "\\A" : "\\z");
      case '(':
        return open_group(next.size);
      case ')':
        if (groups_.empty() && extended_) return add_character();
        return close_group(next.size);
      case '|':
        return end_alternative(next.size);
      case '*':
      case '+':
      case '?':
      case '{':
        return read_stray_repetition(next);
      default:
        return add_sign(next);
    }
  }

  // Takes an operator character literally.
  Step add_sign(const Sign& literal) {
    at_ += literal.size - 1;
    return add_character();
  }

  // In basic syntax, ^ and $ are anchors only at the edges of an alternative.
  bool is_anchor() const {
    if (extended_) return true;
    if (pattern_[at_] == '^') return at_begin_;
    return at_ + 1 == pattern_.size() || is_at(at_ + 1, "\\)") || is_at(at_ + 1, "\\|");
  }

  // A repetition operator with nothing to repeat: literal in basic syntax, an error in extended syntax.
  Step read_stray_repetition(const Sign& next) {
    if (!extended_ && next.letter != '{') return add_sign(next);
    return Failure({.what = fmt::format("nothing to repeat before '{}'", next.letter), .at = at_});
  }

  Step read_escape() {
    const std::size_t begin = at_;
    const char c = pattern_[++at_];
    const auto step = [&](std::string_view text, bool is_word) {
      ++at_;
      return add_atom(text, is_word);
    };
    if (c == 'w') return step(kWord, true);
    if (c == 'W') return step(kNotWord, false);
    if (c == 's') return step(kSpace, false);
    if (c == 'S') return step(kNotSpace, false);
    if (c >= '1' && c <= '9')
      return Failure({.what = fmt::format("back-references ('\\{}') are not supported", c),
                      .at = begin,
                      .kind = ErrorKind::Unsupported});
    if (std::string_view("bB<>`'").find(c) == std::string_view::npos) return add_character();
    ++at_;
    if (c == 'b' || c == 'B') return add_anchor(c == 'b' ? "\\b" : "\\B");
    if (c == '`' || c == '\'') return add_anchor(c == '`' ? "\\A" : "\\z");
    if (c == '<' && !word_start_) word_start_ = begin;
    if (c == '>' && !after_word_)
      return Failure({.what = "'\\>' is supported only after a letter, digit or '_'",
                      .at = begin,
                      .kind = ErrorKind::Unsupported});
    return add_anchor("\\b");
  }

  Step add_anchor(std::string_view text) {
    at_begin_ = false;
    text_ += text;
    return {};
  }

  // Adds the character at at_ literally.
  Step add_character() {
    const std::string_view rest = pattern_.substr(at_);
    const unsigned length = utf8_ ? utf8_length(rest) : 1;
    const bool is_word = is_word_character(utf8_value(rest, length));
    std::string text(rest.substr(0, length));
    if (static_cast<u8>(text[0]) < 0x80 && !is_word) text.insert(0, 1, '\\');
    at_ += length;
    return add_atom(text, is_word);
  }

  Step add_bracket() {
    auto bracket = parse_bracket_expression(pattern_, at_, utf8_);
    if (!bracket) return Failure(std::move(bracket.error()));
    at_ = bracket->end;
    return add_atom(bracket->re2, bracket->only_word);
  }

  // Adds text that matches exactly one character.
  Step add_atom(std::string_view text, bool is_word) {
    if (word_start_ && !is_word) return no_word(*word_start_);
    const Atom atom{.text = text_.size(), .ends_with_word = is_word, .begins_with_word = is_word};
    text_ += text;
    return repeat(atom);
  }

  Step open_group(std::size_t size) {
    if (groups_.size() == kNestingLimit)
      return Failure({.what = "too many nested groups", .at = at_, .kind = ErrorKind::Unsupported});
    groups_.push_back({.at = at_, .text = text_.size(), .outer_after_word = after_word_, .word_start = word_start_});
    text_ += "(?:";
    at_ += size;
    begin_alternative();
    return {};
  }

  void begin_alternative() {
    after_word_ = false;
    at_begin_ = true;
    word_start_ = groups_.empty() ? std::nullopt : groups_.back().word_start;
  }

  // '\<' must not reach past the end of its alternative: it would depend on what follows the group, or on the next
  // repetition of the group.
  Step settle_alternative() {
    const std::optional<std::size_t> outer = groups_.empty() ? std::nullopt : groups_.back().word_start;
    if (word_start_ && word_start_ != outer) return no_word(*word_start_);
    if (groups_.empty()) return {};
    groups_.back().ends_with_word &= after_word_;
    groups_.back().word_start_is_open |= word_start_.has_value();
    return {};
  }

  Step end_alternative(std::size_t size) {
    if (auto step = settle_alternative(); !step) return step;
    text_ += '|';
    at_ += size;
    begin_alternative();
    return {};
  }

  Step close_group(std::size_t size) {
    if (groups_.empty()) return Failure({.what = "')' without '('", .at = at_});
    if (auto step = settle_alternative(); !step) return step;
    const Group group = groups_.back();
    groups_.pop_back();
    text_ += ')';
    at_ += size;
    after_word_ = group.outer_after_word;
    word_start_ = group.word_start;
    return repeat({.text = group.text,
                   .repeats = group.repeats,
                   .steps = group.steps,
                   .ends_with_word = group.ends_with_word,
                   .begins_with_word = !group.word_start_is_open});
  }

  // Applies the repetition operators that follow an atom.
  Step repeat(Atom atom) {
    at_begin_ = false;
    bool is_optional = false;
    std::optional<Bounds> letter;  // the previous operator, if it was *, + or ?
    for (std::size_t stacked = 0;; ++stacked) {
      auto bounds = read_bounds();
      if (!bounds) return Failure(std::move(bounds.error()));
      if (!*bounds) break;
      if (stacked == kStackedLimit)
        return Failure({.what = "too many nested repetitions", .at = at_, .kind = ErrorKind::Unsupported});
      Bounds now = **bounds;
      is_optional = is_optional || now.least == 0;
      if (now.is_letter && letter) {  // (a+)? equals a*
        text_.pop_back();
        now.least = std::min(now.least, letter->least);
        now.most = std::max(now.most, letter->most);
      } else if (stacked > 0) {
        text_.insert(atom.text, "(?:");
        text_ += ')';
      }
      letter = now.is_letter ? std::optional(now) : std::nullopt;
      if (auto step = write_repetition(atom, now); !step) return step;
    }
    u64& steps = groups_.empty() ? steps_ : groups_.back().steps;
    steps += atom.steps;
    if (steps > kStepLimit) return too_large(at_);
    if (!groups_.empty()) groups_.back().repeats = std::max(groups_.back().repeats, atom.repeats);
    after_word_ = atom.ends_with_word && (!is_optional || after_word_);
    if (atom.begins_with_word && !is_optional) word_start_.reset();
    return {};
  }

  // RE2 repeats at most 1,000 times, so longer repetitions become several in a row.
  Step write_repetition(Atom& atom, const Bounds& bounds) {
    if (bounds.is_letter) {
      text_ += bounds.most == 1 ? '?' : bounds.least == 0 ? '*' : '+';
      return {};
    }
    const u32 most = bounds.most == kNoLimit ? bounds.least : bounds.most;
    atom.steps *= std::max(most, 1u);
    if (atom.steps > kStepLimit) return too_large(at_);
    const std::string text = text_.substr(atom.text);
    const u32 chunk = std::max(1u, kRe2RepeatLimit / atom.repeats);
    std::string repeated;
    u32 left = bounds.least;
    for (; left > chunk && repeated.size() <= kTextLimit; left -= chunk)
      repeated += fmt::format("{}{{{}}}", text, chunk);
    if (bounds.most == kNoLimit) {
      repeated += fmt::format("{}{{{},}}", text, left);
    } else {
      u32 more = bounds.most - bounds.least;
      const u32 now = std::min(more, chunk - left);
      repeated += fmt::format("{}{{{},{}}}", text, left, left + now);
      for (more -= now; more > 0 && repeated.size() <= kTextLimit; more -= std::min(more, chunk))
        repeated += fmt::format("{}{{0,{}}}", text, std::min(more, chunk));
    }
    if (repeated.size() > kTextLimit) return too_large(at_);
    atom.repeats *= std::max(1u, std::min(chunk, most));
    text_.replace(atom.text, text_.npos, "(?:" + repeated + ")");
    return {};
  }

  // Reads the repetition operator at at_, if any.
  std::expected<std::optional<Bounds>, PatternProblem> read_bounds() {
    if (at_ == pattern_.size()) return std::nullopt;
    const Sign next = sign();
    if (!next.is_operator || std::string_view("*+?{").find(next.letter) == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at_;
    at_ += next.size;
    if (next.letter != '{')
      return Bounds{.least = next.letter == '+' ? 1u : 0u, .most = next.letter == '?' ? 1u : kNoLimit};
    const std::string_view close = extended_ ? "}" : "\\}";
    const std::size_t end = pattern_.find(close, at_);
    if (end == pattern_.npos) return Failure({.what = "'{' without '}'", .at = begin});
    const std::string_view words = pattern_.substr(at_, end - at_);
    at_ = end + close.size();
    const std::size_t comma = std::min(words.find(','), words.size());
    const auto least = read_number(words.substr(0, comma), 0);
    const auto most = comma == words.size() ? least : read_number(words.substr(comma + 1), kNoLimit);
    if (!least || !most || words.empty() || *least > *most)
      return Failure({.what = fmt::format("invalid repetition '{{{}}}'", excerpt(words)), .at = begin});
    if (*least > kRepeatLimit || (*most != kNoLimit && *most > kRepeatLimit))
      return Failure(
          {.what = fmt::format("repetition '{{{}}}' exceeds {}", excerpt(words), kRepeatLimit), .at = begin});
    return Bounds{.least = *least, .most = *most, .is_letter = false};
  }

  static std::optional<u32> read_number(std::string_view digits, u32 otherwise) {
    if (digits.empty()) return otherwise;
    u32 number = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      number = std::min(number * 10 + static_cast<u32>(c - '0'), kRepeatLimit + 1);
    }
    return number;
  }

  std::string_view pattern_;
  bool extended_, utf8_;
  std::size_t at_ = 0;
  std::string text_;
  u64 steps_ = 0;
  std::vector<Group> groups_;
  bool at_begin_ = true;                   // at the start of an alternative
  bool after_word_ = false;                // the output so far ends with a \w character
  std::optional<std::size_t> word_start_;  // a '\<' still waiting for its next character
};

}  // namespace

Result<std::string> re2_pattern(std::string_view text, PatternSyntax syntax, bool utf8) {
  auto translated = Translator(text, syntax, utf8).run();
  if (translated) return std::move(*translated);
  const PatternProblem& problem = translated.error();
  const std::string_view verdict = problem.kind == ErrorKind::Usage ? "invalid" : "unsupported";
  return fail(problem.kind, "{} regular expression '{}': {}, at character {}", verdict, excerpt(text), problem.what,
              problem.at + 1);
}

}  // namespace peregrine
