#include "base/container/string_pool.h"

#include <algorithm>
#include <cstring>

#include "base/types.h"

namespace peregrine {

char* StringPool::allocate(std::size_t bytes) {
  constexpr std::size_t kBlock = 64 * 1024;
  if (bytes > block_left_) {
    const std::size_t size = std::max(bytes, kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    block_next_ = blocks_.back().get();
    block_left_ = size;
  }
  char* result = block_next_;
  block_next_ += bytes;
  block_left_ -= bytes;
  return result;
}

StringId StringPool::intern(std::string_view text) {
  if (auto found = ids_.find(text); found != ids_.end()) return found->second;
  char* copy = allocate(text.size() + 1);
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  const StringId id(static_cast<u32>(views_.size()));
  views_.emplace_back(copy, text.size());
  ids_.emplace(views_.back(), id);
  return id;
}

StringId StringPool::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? StringId() : found->second;
}

}  // namespace peregrine
