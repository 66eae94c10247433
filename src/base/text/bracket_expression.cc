#include "base/text/bracket_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <utility>

#include "base/text/text_cursor.h"
#include "base/text/utf8.h"

namespace peregrine {
namespace {

constexpr std::array<std::string_view, 12> kClasses{"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                                    "lower", "print", "punct", "space", "upper", "xdigit"};
constexpr std::array<std::string_view, 6> kWordClasses{"alnum", "alpha", "digit", "lower", "upper", "xdigit"};

// A character of the expression, or a class, which cannot be the end of a range.
struct Element {
  u32 character = 0;
  std::string_view class_name = {};
  bool begins_range = true;
  std::size_t at = 0;
};

class BracketParser {
 public:
  using Failure = std::unexpected<PatternProblem>;

  BracketParser(std::string_view pattern, std::size_t open, bool utf8) : cursor_(pattern), open_(open), utf8_(utf8) {
    cursor_.move_to(open + 1);
  }

  std::expected<BracketExpression, PatternProblem> run() {
    bracket_.re2 = "[";
    if (cursor_.take('^')) {
      bracket_.re2 += '^';
      bracket_.only_word = false;
    }
    for (bool first = true;; first = false) {
      if (cursor_.at_end()) return no_end();
      if (!first && cursor_.take(']')) break;
      if (cursor_.next_is("-") && !first && !hyphen_is_last()) return bad_range(cursor_.at(), cursor_.at() + 1);
      if (auto problem = add_element()) return Failure(std::move(*problem));
    }
    bracket_.re2 += ']';
    bracket_.end = cursor_.at();
    return std::move(bracket_);
  }

 private:
  bool hyphen_is_last() const { return cursor_.rest().substr(1).starts_with(']'); }
  Failure no_end() const { return Failure({.what = "'[' without ']'", .at = open_}); }
  Failure bad_range(std::size_t begin, std::size_t end) const {
    return Failure(
        {.what = fmt::format("invalid range '{}'", excerpt(cursor_.text().substr(begin, end - begin))), .at = begin});
  }

  // A character, a class, or a range.
  std::optional<PatternProblem> add_element() {
    const auto low = read_element();
    if (!low) return low.error();
    if (!low->class_name.empty()) {
      bracket_.re2 += fmt::format("[:{}:]", low->class_name);
      bracket_.only_word = bracket_.only_word && std::ranges::find(kWordClasses, low->class_name) != kWordClasses.end();
      return std::nullopt;
    }
    if (!low->begins_range || !cursor_.next_is("-") || hyphen_is_last()) {
      add_range(low->character, low->character);
      return std::nullopt;
    }
    cursor_.take('-');
    if (cursor_.at_end()) return no_end().error();
    const auto high = read_element();
    if (!high) return high.error();
    if (!high->begins_range || high->character < low->character) return bad_range(low->at, cursor_.at()).error();
    add_range(low->character, high->character);
    return std::nullopt;
  }

  void add_range(u32 low, u32 high) {
    bracket_.re2 += low == high ? fmt::format("\\x{{{:x}}}", low) : fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", low, high);
    for (u32 c = low; c <= high && bracket_.only_word; ++c) bracket_.only_word = is_word_character(c);
  }

  std::expected<Element, PatternProblem> read_element() {
    for (const std::string_view named : {"[.", "[=", "[:"})
      if (cursor_.next_is(named)) return read_named(named[1]);
    const unsigned length = utf8_ ? utf8_length(cursor_.rest()) : 1;
    const std::size_t at = cursor_.at();
    return Element{.character = utf8_value(cursor_.take(std::size_t{length}), length), .at = at};
  }

  // Reads "[:alpha:]", "[.-.]" or "[=a=]".
  std::expected<Element, PatternProblem> read_named(char kind) {
    const std::size_t begin = cursor_.at();
    const char end[] = {kind, ']', '\0'};
    const std::size_t close = cursor_.text().find(end, begin + 2 + (kind == ':' ? 0 : 1));
    if (close == std::string_view::npos) return no_end();
    const std::string_view name = cursor_.text().substr(begin + 2, close - begin - 2);
    cursor_.move_to(close + 2);
    if (kind == ':') {
      const auto known = std::ranges::find(kClasses, name);
      if (known == kClasses.end())
        return Failure({.what = fmt::format("unknown character class '[:{}:]'", excerpt(name)), .at = begin});
      return Element{.class_name = *known, .begins_range = false, .at = begin};
    }
    const unsigned length = utf8_ ? utf8_length(name) : 1;
    if (length == 0 || length != name.size())
      return Failure({.what = fmt::format("unknown collating element '{}'", excerpt(name)), .at = begin});
    return Element{.character = utf8_value(name, length), .begins_range = kind == '.', .at = begin};
  }

  TextCursor cursor_;
  std::size_t open_;
  bool utf8_;
  BracketExpression bracket_;
};

}  // namespace

std::expected<BracketExpression, PatternProblem> parse_bracket_expression(std::string_view pattern, std::size_t open,
                                                                          bool utf8) {
  return BracketParser(pattern, open, utf8).run();
}

}  // namespace peregrine
