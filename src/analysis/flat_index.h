// FlatIndex: an open-addressing hash index over rows stored elsewhere, four bytes per slot.
//
// Stores only row numbers; the owner keeps the rows and compares keys. Load at most 62 %, linear probing, no deletion.
// One writer; readers only while nobody writes.
#pragma once
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

// Mixes 64 bits so that each bit of the result depends on every bit of the value.
inline u64 mix_bits(u64 value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93u;
  return value ^ (value >> 32);
}

class FlatIndex {
 public:
  static constexpr u32 kEmpty = 0xffffffffu;

  // Returns the row for which equal(row) holds, or enters and returns `fresh` (the caller then appends row number
  // `fresh`). hash_of(row) must return the hash of a row entered earlier.
  template <class Equal, class HashOf>
  u32 find_or_add(u64 hash, u32 fresh, const Equal& equal, const HashOf& hash_of) {
    // Before the search, which then always meets an empty slot and ends.
    if ((used_ + 1) * 8 > slots_.size() * 5) grow(hash_of);
    std::size_t at = hash & mask_;
    while (slots_[at] != kEmpty) {
      if (equal(slots_[at])) return slots_[at];
      at = (at + 1) & mask_;
    }
    slots_[at] = fresh;
    ++used_;
    return fresh;
  }

  // The row for which equal(row) holds, or kEmpty.
  template <class Equal>
  u32 find(u64 hash, const Equal& equal) const {
    if (slots_.empty()) return kEmpty;
    for (std::size_t at = hash & mask_; slots_[at] != kEmpty; at = (at + 1) & mask_)
      if (equal(slots_[at])) return slots_[at];
    return kEmpty;
  }

  // Makes room for `rows` rows at once.
  template <class HashOf>
  void reserve(std::size_t rows, const HashOf& hash_of) {
    while (rows * 8 > slots_.size() * 5) grow(hash_of);
  }

  void prefetch(u64 hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }
  // The first row that a lookup of this hash visits, or kEmpty; for prefetching.
  u32 first_met(u64 hash) const { return slots_.empty() ? kEmpty : slots_[hash & mask_]; }
  std::size_t size() const { return used_; }
  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(u32); }
  void release() {
    std::vector<u32>().swap(slots_);
    used_ = mask_ = 0;
  }

 private:
  template <class HashOf>
  void grow(const HashOf& hash_of) {
    std::vector<u32> old(slots_.empty() ? 16 : slots_.size() * 2, kEmpty);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const u32 row : old) {
      if (row == kEmpty) continue;
      std::size_t at = hash_of(row) & mask_;
      while (slots_[at] != kEmpty) at = (at + 1) & mask_;
      slots_[at] = row;
    }
  }

  std::vector<u32> slots_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
};

}  // namespace peregrine
