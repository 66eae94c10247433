// KeyedRows: one row per key, found through a FlatIndex. For tables that grow with every new address or call site of a
// recording, where a node-based map spends most of its time on allocating, freeing and chasing nodes.
//
// Row has a member `key`; Hash maps a key to 64 well-mixed bits. Rows keep the order in which their keys first came,
// and move when the table grows: refer to one by its index. No deletion.
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/flat_index.h"
#include "base/types.h"

namespace peregrine {

struct MixedNumber {
  u64 operator()(u64 key) const { return mix_bits(key); }
};

template <class Row, class Hash = MixedNumber>
class KeyedRows {
 public:
  using Key = decltype(Row::key);

  // The index of the key's row; appends the row if it is missing.
  u32 index_of(const Key& key) {
    const u32 at = index_.find_or_add(
        Hash()(key), static_cast<u32>(rows_.size()), [&](u32 row) { return rows_[row].key == key; },
        [&](u32 row) { return Hash()(rows_[row].key); });
    if (at == rows_.size()) rows_.emplace_back().key = key;
    return at;
  }
  Row& at(const Key& key) { return rows_[index_of(key)]; }
  // Null if there is no such row.
  Row* find(const Key& key) {
    const u32 at = index_.find(Hash()(key), [&](u32 row) { return rows_[row].key == key; });
    return at == FlatIndex::kEmpty ? nullptr : &rows_[at];
  }

  Row& operator[](u32 index) { return rows_[index]; }
  const std::vector<Row>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }

 private:
  // index_ has the number of each row of rows_, and no others.
  FlatIndex index_;
  std::vector<Row> rows_;
};

}  // namespace peregrine
