// FilterScanner: a cursor over a filter's text, for the parsers of tracepoint, sample and address filters, and of
// expressions. The text must outlive it.
#pragma once
#include <cstddef>
#include <string_view>

#include "abi/sample_filter.h"
#include "base/text/text_cursor.h"
#include "event/term.h"

namespace peregrine {

class FilterScanner : protected TextCursor {
 protected:
  explicit FilterScanner(std::string_view text) : TextCursor(text) {}

  // Comparisons of filters that BPF programs run; the longer of two matches comes first.
  struct Comparison {
    std::string_view name;
    sample_filter_op op;
  };
  static constexpr Comparison kComparisons[] = {
      {"==", kFilterEqual}, {"!=", kFilterNotEqual}, {"<=", kFilterLessEqual}, {">=", kFilterGreaterEqual},
      {"<", kFilterLess},   {">", kFilterGreater},   {"&", kFilterAnyBit}};

  // Takes this text and the blanks after it.
  bool take_token(std::string_view token) {
    if (!take(token)) return false;
    skip_blanks();
    return true;
  }

  // The text in quotes; the caller has seen the opening quote.
  Parsed<std::string_view> quoted_value() {
    const std::size_t open = at();
    const auto end = text().find(peek(), open + 1);
    if (end == text().npos) return wrong(open, "unterminated quote");
    move_to(end + 1);
    return text().substr(open + 1, end - open - 1);
  }
};

}  // namespace peregrine
