// FilterScanner: a cursor over a filter's text, for the parsers of tracepoint, sample and address filters. The text
// must outlive it.
#pragma once
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "abi/sample_filter.h"
#include "base/text/text_cursor.h"
#include "event/syntax_error.h"

namespace peregrine {

class FilterScanner : protected TextCursor {
 protected:
  explicit FilterScanner(std::string_view text) : TextCursor(text) {}

  static std::unexpected<SyntaxError> wrong(std::size_t column, std::string what, std::string hint = {}) {
    return std::unexpected(SyntaxError{column, std::move(what), {}, std::move(hint)});
  }

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
};

}  // namespace peregrine
