// Packed columns: a table's columns as bytes, one column after the other: its length, then its values as
// variable-length integers (LEB128).
//
//   Plain  the values           Steps  zigzag-coded differences from the value before, which wrap at 64 bits
//
// The timeline keeps its rows in this form, and the page of `view` reads the same bytes. A reader checks bounds: beyond
// the end, values are 0.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/leb128.h"
#include "base/types.h"

namespace peregrine {

enum class Coding : u8 { Plain, Steps };

// Appends a column that was coded before: its length and its bytes.
void append_coded_column(std::string& out, std::string_view coded);

inline u64 zigzag(u64 step) { return step << 1 ^ static_cast<u64>(static_cast<i64>(step) >> 63); }
inline u64 unzigzag(u64 coded) { return coded >> 1 ^ (~(coded & 1) + 1); }

// Appends value(row) of each row.
template <class Rows, class Value>
void append_column(std::string& out, Coding coding, const Rows& rows, const Value& value) {
  std::string coded;
  u64 last = 0;
  for (const auto& row : rows) {
    const u64 own = value(row);
    append_uleb128(coded, coding == Coding::Plain ? own : zigzag(own - std::exchange(last, own)));
  }
  append_coded_column(out, coded);
}

class ColumnReader {
 public:
  // Borrows the bytes.
  explicit ColumnReader(std::string_view bytes) : bytes_(bytes) {}

  // The next varint outside of columns: a count.
  u64 number();
  void skip_column();
  // Calls put(index, value) for the `count` values of the next column.
  template <class Put>
  void column(std::size_t count, Coding coding, const Put& put) {
    ColumnReader own(next_column());
    u64 last = 0;
    for (std::size_t at = 0; at < count; ++at) {
      const u64 coded = own.number();
      last = coding == Coding::Plain ? coded : last + unzigzag(coded);
      put(at, last);
    }
  }

 private:
  std::string_view next_column();

  std::string_view bytes_;
};

}  // namespace peregrine
