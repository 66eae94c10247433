// BlockList: a list that grows without moving its elements, for the millions of small values of a replay. A growing
// vector would copy them all, into memory that the kernel has to clear first.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace peregrine {

template <class T, std::size_t kBlock = 4096>
class BlockList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(const T& value) {
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    blocks_.back()[size_++ % kBlock] = value;
  }
  std::size_t size() const { return size_; }
  void clear() {
    blocks_.clear();
    size_ = 0;
  }
  // Calls `use` for each element, in order.
  template <class Use>
  void each(Use use) const {
    for (std::size_t at = 0; at < size_; ++at) use(blocks_[at / kBlock][at % kBlock]);
  }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace peregrine
