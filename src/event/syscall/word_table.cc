#include "event/syscall/word_table.h"

#include <algorithm>
#include <cstddef>

#include "base/number/parse_number.h"
#include "event/syscall/text_words.h"

namespace peregrine {
namespace {

u64 hexadecimal(std::string_view digits) { return take_number<u64>(digits, 16).value_or(0); }

WordTable parse(std::string_view text) {
  WordTable table;
  table.name = next_word(text);
  bool in_bits = false;
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    if (word == "!") {
      table.shows_zero = true;
    } else if (word == "|") {
      in_bits = true;
    } else if (word.starts_with('&')) {
      table.mask = hexadecimal(word.substr(1));
    } else {
      const std::size_t equals = word.find('=');
      const Word named{hexadecimal(word.substr(equals + 1)), word.substr(0, equals)};
      // Even if the names are bits, zero is a choice: no bit is set.
      (in_bits && named.value != 0 ? table.bits : table.choices).push_back(named);
    }
  }
  if (table.mask == 0 && table.bits.empty()) table.mask = 0xffffffff;
  return table;
}

}  // namespace

std::string_view WordTable::choice(u64 value) const {
  const auto found = std::ranges::find(choices, value, &Word::value);
  return found == choices.end() ? std::string_view() : found->name;
}

WordTables::WordTables() {
  for (const std::string_view text : word_table_texts()) tables_.push_back(parse(text));
  std::ranges::sort(tables_, {}, &WordTable::name);
}

const WordTable* WordTables::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tables_, name, {}, &WordTable::name);
  return found == tables_.end() || found->name != name ? nullptr : &*found;
}

}  // namespace peregrine
