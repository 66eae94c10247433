// TextCursor: a position in a text, for parsers of small grammars. Borrows the text.
//
//   TextCursor cursor("load > 10");
//   cursor.take_word()          "load"
//   cursor.skip_blanks()
//   cursor.take('>')            true
//
// Characters are bytes, and character classes do not depend on the locale. At the end, peek() returns '\0' and nothing
// can be taken, so parsers need no bounds checks. at() gives the column for error messages.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/text/ascii.h"

namespace peregrine {

class TextCursor {
 public:
  explicit constexpr TextCursor(std::string_view text) : text_(text) {}

  constexpr std::string_view text() const { return text_; }
  constexpr std::string_view rest() const { return text_.substr(at_); }
  // Returns the number of characters before the cursor.
  constexpr std::size_t at() const { return at_; }
  constexpr bool at_end() const { return at_ == text_.size(); }
  constexpr char peek() const { return at_end() ? '\0' : text_[at_]; }
  constexpr bool next_is(std::string_view wanted) const { return rest().starts_with(wanted); }

  constexpr void move_to(std::size_t at) { at_ = std::min(at, text_.size()); }
  // Takes the next `count` characters, or all remaining ones.
  constexpr std::string_view take(std::size_t count) {
    const std::string_view taken = text_.substr(at_, count);
    at_ += taken.size();
    return taken;
  }
  // Takes the character or text if it is next.
  constexpr bool take(char wanted) {
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  constexpr bool take(std::string_view wanted) {
    if (!next_is(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  // Takes the characters from here on that satisfy `is`; see_while() does not consume them.
  template <class Is>  // bool(char)
  constexpr std::string_view see_while(const Is& is) const {
    std::size_t end = at_;
    while (end < text_.size() && is(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  template <class Is>
  constexpr std::string_view take_while(const Is& is) {
    return take(see_while(is).size());
  }
  // Takes the characters up to the next one of `stops`, or to the end.
  constexpr std::string_view take_until(std::string_view stops) { return take(rest().find_first_of(stops)); }
  // Letters, digits and '_'.
  constexpr std::string_view see_word() const {
    return see_while([](char c) { return is_word_character(c); });
  }
  constexpr std::string_view take_word() { return take(see_word().size()); }
  constexpr void skip_blanks() { take_while(is_blank); }

  // Takes a number. If there is none that fits T, the cursor does not move.
  template <std::integral T>
  std::optional<T> take_number(int base = 10) {
    std::string_view left = rest();
    const auto number = peregrine::take_number<T>(left, base);
    at_ = text_.size() - left.size();
    return number;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace peregrine
