#include "symbol/cfi/cfi_table.h"

#include <cstddef>

#include "base/types.h"

namespace peregrine {

CfiTable::Both CfiTable::find_both(u64 address) const {
  if (address < base_ || address - base_ > 0xffffffffu) return {};
  const auto offset = static_cast<u32>(address - base_);
  const std::size_t page = u64{offset} >> page_bits_;  // page_bits_ may be 32
  if (page + 1 >= pages_.size()) return {};
  const auto some = std::span(rows_).subspan(pages_[page], pages_[page + 1] + 1 - pages_[page]);
  const auto above = std::ranges::upper_bound(some, offset, {}, &Row::start) - some.begin();
  if (above == 0) return {};
  const std::size_t row = pages_[page] + static_cast<std::size_t>(above) - 1;
  const CfiRules* at = rules_of(row);
  if (rows_[row].start != offset) return {at, at};
  return {at, row == 0 ? nullptr : rules_of(row - 1)};
}

// The last row only marks the end of the code; it holds no rules.
void CfiTable::index_pages() {
  constexpr std::size_t kRowsPerPage = 4;
  pages_.clear();
  if (rows_.empty()) return;
  const u64 last = rows_.back().start;
  page_bits_ = 6;
  while (last >> page_bits_ > rows_.size() / kRowsPerPage) ++page_bits_;
  pages_.reserve((last >> page_bits_) + 2);
  u32 row = 0;
  for (u64 page = 0; page <= (last >> page_bits_) + 1; ++page) {
    while (row + 1 < rows_.size() && rows_[row + 1].start <= page << page_bits_) ++row;
    pages_.push_back(row);
  }
}

Bytes CfiTable::expression(i32 index) const {
  const Range& range = expressions_[static_cast<u32>(index)];
  return Bytes(expression_bytes_).subspan(range.offset, range.size);
}

std::size_t CfiTable::byte_size() const {
  return rows_.size() * sizeof(Row) + pages_.size() * sizeof(u32) + sets_.size() * sizeof(CfiRules) +
         registers_.size() * sizeof(CfiRegisterRule) + expressions_.size() * sizeof(Range) + expression_bytes_.size();
}

}  // namespace peregrine
