// Chunk: a piece of a recording in memory with whole records only. ChunkPool: allocates and reuses chunks.
//
// RecordStream fills chunks; Order holds those with waiting records. `references` counts the stream (while it reads
// from the chunk) and every waiting record; at zero the pool reuses the chunk's memory. Not thread safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/types.h"

namespace peregrine::data {

// Where a chunk's bytes came from in the recording.
struct ChunkOrigin {
  u64 file_offset = 0;  // of its first byte; unused for decompressed chunks
  bool compressed = false;
  bool copied = false;  // filled with single records, each preceded by its u64 file offset
  struct Part {
    u32 start = 0;        // bytes from here on
    u64 file_offset = 0;  // came out of the COMPRESSED record at this offset
  };
  std::vector<Part> parts;  // of a decompressed chunk, ascending

  // File offset of the record at `place` in the chunk, with these bytes.
  u64 offset_of(const std::byte* bytes, u32 place) const {
    if (copied) {
      u64 offset;
      std::copy_n(bytes + place - sizeof offset, sizeof offset, reinterpret_cast<std::byte*>(&offset));
      return offset;
    }
    if (!compressed) return file_offset + place;
    const auto after = std::ranges::upper_bound(parts, place, {}, &Part::start);
    return after == parts.begin() ? 0 : (after - 1)->file_offset;
  }
};

struct Chunk {
  static constexpr std::size_t kSize = std::size_t{1} << 18;  // fits the longest record and kRunBytes

  std::unique_ptr<std::byte[]> memory;  // kSize bytes; null if the chunk is free, or dropped to be read again
  u32 slot = 0;
  u32 references = 0;
  u32 input = 0;  // index of the stream's input
  ChunkOrigin origin;

  u64 offset_of(u32 place) const { return origin.offset_of(memory.get(), place); }
};

class ChunkPool {
 public:
  // Returns a chunk with one reference (the caller's) and uninitialized memory.
  Chunk& take() {
    u32 slot = 0;
    // Prefer chunks that still have their memory.
    std::vector<u32>& from = free_.empty() ? free_without_memory_ : free_;
    if (from.empty()) {
      slot = static_cast<u32>(chunks_.size());
      chunks_.push_back(std::make_unique<Chunk>());
    } else {
      slot = from.back();
      from.pop_back();
    }
    Chunk& chunk = *chunks_[slot];
    if (chunk.memory == nullptr) chunk.memory = std::make_unique_for_overwrite<std::byte[]>(Chunk::kSize);
    chunk.slot = slot;
    chunk.references = 1;
    chunk.origin.compressed = chunk.origin.copied = false;
    chunk.origin.parts.clear();
    ++in_use_;
    return chunk;
  }
  void release(Chunk& chunk, u32 count = 1) {
    chunk.references -= count;
    if (chunk.references != 0) return;
    if (chunk.memory == nullptr) --dropped_;
    (chunk.memory == nullptr ? free_without_memory_ : free_).push_back(chunk.slot);
    --in_use_;
  }
  // Frees the memory of a chunk but keeps its slot. Its bytes can be read again from the file.
  void drop_memory(Chunk& chunk) {
    chunk.memory.reset();
    ++dropped_;
  }
  Chunk& operator[](u32 slot) { return *chunks_[slot]; }
  std::size_t slots() const { return chunks_.size(); }
  std::size_t resident() const { return in_use_ - dropped_; }  // chunks in use with their bytes in memory

 private:
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<u32> free_, free_without_memory_;
  std::size_t in_use_ = 0, dropped_ = 0;
};

}  // namespace peregrine::data
