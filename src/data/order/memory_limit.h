// MemoryLimit: decides what Order does about the memory of waiting records. Sizes are in chunks.
//
//   resident ≤ limit: nothing │ above: drop chunks that can be read again │ above kMostTimes × limit: deliver early
//
// Dropping visits all chunks and waits for the caller, so it is tried again only after more chunks came. Chunks of
// decompressed data cannot be dropped and may be a thousand times larger than the file.
#pragma once
#include <cstddef>

#include "data/stream/chunk.h"

namespace peregrine::data {

class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes) : bytes_(bytes) {}

  bool is_exceeded(std::size_t resident) const { return resident * Chunk::kSize > bytes_; }
  bool is_far_exceeded(std::size_t resident) const { return resident * Chunk::kSize > kMostTimes * bytes_; }

  // Of a limit that is exceeded.
  bool should_drop(std::size_t resident) const { return resident > undroppable_; }
  // `resident`: memory left after dropping chunks.
  void note_dropped(std::size_t resident) { undroppable_ = resident; }
  // Call when chunks were released.
  void reset() { undroppable_ = 0; }

 private:
  static constexpr std::size_t kMostTimes = 4;
  std::size_t bytes_, undroppable_ = 0;
};

}  // namespace peregrine::data
