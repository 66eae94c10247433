// AddressList: addresses as 32-bit offsets from the first one, or as 64-bit values if one is out of range.
//
// The symbols of a table practically always span less than 4 GB: this halves the memory and the cache misses.
#pragma once
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

class AddressList {
 public:
  std::size_t size() const { return wide_.empty() ? near_.size() : wide_.size(); }
  bool empty() const { return size() == 0; }
  u64 operator[](std::size_t i) const { return wide_.empty() ? base_ + near_[i] : wide_[i]; }
  u64 front() const { return (*this)[0]; }
  u64 back() const { return (*this)[size() - 1]; }
  std::size_t memory_bytes() const { return near_.capacity() * sizeof(u32) + wide_.capacity() * sizeof(u64); }

  void reserve(std::size_t count) { near_.reserve(count); }
  void push_back(u64 address) {
    if (empty()) base_ = address;
    if (wide_.empty() && address - base_ <= 0xffffffffu) {
      near_.push_back(static_cast<u32>(address - base_));
      return;
    }
    if (wide_.empty()) widen();
    wide_.push_back(address);
  }

 private:
  void widen() {
    wide_.reserve(near_.capacity());
    for (const u32 distance : near_) wide_.push_back(base_ + distance);
    near_ = {};
  }

  u64 base_ = 0;
  std::vector<u32> near_;
  std::vector<u64> wide_;
};

}  // namespace peregrine
