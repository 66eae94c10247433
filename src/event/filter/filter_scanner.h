// FilterScanner: a cursor over a filter's text, for the parsers of tracepoint, sample and address filters. The text
// must outlive it.
#pragma once
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "abi/sample_filter.h"
#include "event/term.h"

namespace peregrine {

class FilterScanner {
 protected:
  explicit FilterScanner(std::string_view text) : text_(text) {}

  static constexpr bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  static constexpr bool blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  static std::unexpected<SyntaxError> wrong(std::size_t column, std::string what, std::string hint = {}) {
    return std::unexpected(SyntaxError{column, std::move(what), {}, std::move(hint)});
  }

  // Decimal, 0x… or octal with a leading 0, as in the kernel.
  static std::optional<u64> plain_number(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const int base = hex ? 16 : text.size() > 1 && text.front() == '0' ? 8 : 10;
    if (hex) text.remove_prefix(2);
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  // Comparisons of filters that BPF programs run; the longer of two matches comes first.
  struct Comparison {
    std::string_view name;
    sample_filter_op op;
  };
  static constexpr Comparison kComparisons[] = {
      {"==", kFilterEqual}, {"!=", kFilterNotEqual}, {"<=", kFilterLessEqual}, {">=", kFilterGreaterEqual},
      {"<", kFilterLess},   {">", kFilterGreater},   {"&", kFilterAnyBit}};

  void skip() {
    while (!at_end() && blank(text_[at_])) ++at_;
  }
  bool at_end() const { return at_ == text_.size(); }
  bool next_is(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  // Consumes this text and the spaces after it.
  bool take(std::string_view word) {
    if (!next_is(word)) return false;
    at_ += word.size();
    skip();
    return true;
  }
  // The letters, digits and _ from here; does not consume them.
  std::string_view word_here() const {
    std::size_t end = at_;
    while (end < text_.size() && word_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace peregrine
