// WordTable: names for a number's values and bits: "RDONLY|CLOEXEC", "SOCK_STREAM", "MADV_DONTNEED".
//
// Stored as text (word_table_data.cc) with the kernel's uapi values; parsed once per table set.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct Word {
  u64 value = 0;
  std::string_view name;
};

struct WordTable {
  std::string_view name;
  bool shows_zero = false;
  u64 mask = 0;               // the bits that hold one of `choices`
  std::vector<Word> choices;  // in table order
  std::vector<Word> bits;     // ascending

  // Empty if no choice has this value.
  std::string_view choice(u64 value) const;
};

class WordTables {
 public:
  WordTables();
  const WordTable* find(std::string_view name) const;

 private:
  std::vector<WordTable> tables_;  // by name
};

std::span<const std::string_view> word_table_texts();

}  // namespace peregrine
