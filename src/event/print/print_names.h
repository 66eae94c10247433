// PrintNames: the words that a print format has for the values of a field: a table of __print_flags or
// __print_symbolic. Also what Python's flag_str() and symbol_str() say.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_buffer.h"
#include "base/types.h"

namespace peregrine {

struct PrintNames {
  struct Word {
    std::optional<u64> value;  // nothing: the format names a constant that it does not explain
    std::string text;
  };

  std::string field;  // whose values: the last field named in the first argument
  bool flags = false;
  std::string delimiter;  // between flags
  std::vector<Word> words;

  // "S|D", "TIMER"; what has no name as "0x20". Makes room.
  void put(TextBuffer& out, u64 value) const;
  std::string text(u64 value) const;

  static std::string number_text(u64 value);  // "0x20"
  // Its pieces in order: put(text, is_word); delimiters and numbers are no words. A flag may have several bits. One
  // whose value is 0 or has its highest bit set is never found; one without a value is what 0 is called.
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
