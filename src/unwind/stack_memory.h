// StackMemory: the bytes of a user stack when a sample was taken, by address.
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

class StackMemory {
 public:
  StackMemory() = default;
  // `bytes` start at address `start` (the stack pointer). `cut`: the dump has the maximum size, so the stack may
  // continue.
  StackMemory(u64 start, Bytes bytes, ByteOrder order, unsigned word_size, bool cut)
      : start_(start), bytes_(bytes), order_(order), word_size_(word_size), cut_(cut) {}

  bool holds(u64 address) const {
    return address >= start_ && address - start_ < bytes_.size() && bytes_.size() - (address - start_) >= word_size_;
  }
  // The word at an address within the dump.
  u64 at(u64 address) const {
    const std::byte* from = bytes_.data() + (address - start_);
    return word_size_ == 8 ? load<u64>(from, order_) : load<u32>(from, order_);
  }
  // Whether an address outside the dump is missing only because the dump was cut.
  bool is_cut_off(u64 address) const {
    constexpr u64 kLargestStack = u64{64} << 20;
    return cut_ && address >= start_ && address - start_ < kLargestStack && !holds(address);
  }
  unsigned word_size() const { return word_size_; }
  ByteOrder order() const { return order_; }

 private:
  u64 start_ = 0;
  Bytes bytes_;
  ByteOrder order_ = kHostOrder;
  unsigned word_size_ = 8;
  bool cut_ = false;
};

}  // namespace peregrine
