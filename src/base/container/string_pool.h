// StringPool: stores each distinct string once, under a 32-bit id; equal strings have equal ids.
//
// Views are valid as long as the pool. Not thread safe: one writer, and readers only while there are no writes.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/container/id.h"

namespace peregrine {

using StringId = Id<struct StringTag>;

class StringPool {
 public:
  // Returns the id of `text`, adding it if it is new.
  StringId intern(std::string_view text);
  // Returns the id of `text`, if the pool has it.
  StringId find(std::string_view text) const;
  // `id` must be a valid id of this pool.
  std::string_view view(StringId id) const { return views_[id.value]; }
  std::size_t size() const { return views_.size(); }

 private:
  char* allocate(std::size_t bytes);

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
  std::vector<std::string_view> views_;
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace peregrine
