#include "symbol/cfi/cfi_table.h"

#include <algorithm>

namespace peregrine {

CfiTable::Both CfiTable::find_both(u64 address) const {
  if (address < base_ || address - base_ > 0xffffffffu) return {};
  const auto offset = static_cast<u32>(address - base_);
  const auto above = std::ranges::upper_bound(starts_, offset);
  if (above == starts_.begin()) return {};
  const auto row = static_cast<std::size_t>(above - starts_.begin()) - 1;
  const CfiRules* at = rules_of(row);
  if (starts_[row] != offset) return {at, at};
  return {at, row == 0 ? nullptr : rules_of(row - 1)};
}

Bytes CfiTable::expression(i32 index) const {
  const Range& range = expressions_[static_cast<u32>(index)];
  return Bytes(expression_bytes_).subspan(range.offset, range.size);
}

std::size_t CfiTable::byte_size() const {
  return starts_.size() * sizeof(u32) * 2 + sets_.size() * sizeof(CfiRules) +
         registers_.size() * sizeof(CfiRegisterRule) + expressions_.size() * sizeof(Range) + expression_bytes_.size();
}

}  // namespace peregrine
