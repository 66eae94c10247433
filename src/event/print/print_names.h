// PrintNames: a print format's names for a field's values: a table of __print_flags or __print_symbolic. Also used for
// Python's flag_str() and symbol_str().
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/text/text_buffer.h"
#include "base/types.h"

namespace peregrine {

struct PrintNames {
  struct Word {
    std::optional<u64> value;  // empty: a constant that the format does not define
    std::string text;
  };

  std::string field;  // the last field in the first argument
  bool flags = false;
  std::string delimiter;  // between flags
  std::vector<Word> words;

  // "S|D", "TIMER"; unnamed values as "0x20". Reserves space.
  void put(TextBuffer& out, u64 value) const;
  std::string text(u64 value) const;

  static std::string number_text(u64 value);  // "0x20"
  // Calls put(text, is_word) for each piece in order; delimiters and numbers are not words. A flag may have several
  // bits. One with value 0 or its highest bit set never matches; one without a value is the name of 0.
  template <class Put>
  void each(u64 value, const Put& put) const;
};

template <class Put>
void PrintNames::each(u64 value, const Put& put) const {
  if (!flags) {
    for (const Word& word : words) {
      if (word.value.value_or(~u64{0}) == value) return put(word.text, true);
    }
    return put(number_text(value), false);
  }
  bool first = true;
  for (const Word& word : words) {
    const i64 bits = static_cast<i64>(word.value.value_or(~u64{0}));
    if (value == 0 && bits < 0) {
      put(word.text, true);
      break;
    }
    if (bits <= 0 || (value & static_cast<u64>(bits)) != static_cast<u64>(bits)) continue;
    if (!first) put(delimiter, false);
    put(word.text, true);
    first = false;
    value &= ~static_cast<u64>(bits);
  }
  if (value == 0) return;
  if (!first) put(delimiter, false);
  put(number_text(value), false);
}

}  // namespace peregrine
