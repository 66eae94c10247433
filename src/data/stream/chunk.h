// Chunk: a piece of a recording in memory, whole records only; ChunkPool: where chunks come from and return to.
//
// RecordStream fills chunks, Order holds those whose records still wait. `references` counts the stream (while it reads
// from it) and every waiting record; at zero the chunk's memory is used again. Not thread safe.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "base/types.h"

namespace peregrine::data {

// Where in the recording the bytes of a chunk stood.
struct ChunkOrigin {
  u64 file_offset = 0;  // of its first byte; not for decompressed chunks
  bool compressed = false;
  bool copied = false;  // records copied one by one; each is preceded by its u64 file offset
  struct Part {
    u32 start = 0;        // place from which on
    u64 file_offset = 0;  // bytes came out of the COMPRESSED record there
  };
  std::vector<Part> parts;  // of decompressed chunks, ascending

  // Of the record at that place in the chunk, whose bytes these are.
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
  static constexpr std::size_t kSize = std::size_t{1} << 18;  // holds the longest record and kRunBytes

  std::unique_ptr<std::byte[]> memory;  // kSize bytes; null while free, or dropped to be read again later
  u32 slot = 0;
  u32 references = 0;
  u32 input = 0;  // which of the stream's inputs
  ChunkOrigin origin;

  u64 offset_of(u32 place) const { return origin.offset_of(memory.get(), place); }
};

class ChunkPool {
 public:
  // A chunk with one reference (the caller's) and memory whose contents are undefined.
  Chunk& take() {
    u32 slot = 0;
    // Those that still have their memory first.
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
  // Gives the memory of a chunk back; its slot stays taken. Its bytes can be read again from the file.
  void drop_memory(Chunk& chunk) {
    chunk.memory.reset();
    ++dropped_;
  }
  Chunk& operator[](u32 slot) { return *chunks_[slot]; }
  std::size_t slots() const { return chunks_.size(); }
  std::size_t resident() const { return in_use_ - dropped_; }  // chunks in use that have their bytes

 private:
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<u32> free_, free_without_memory_;
  std::size_t in_use_ = 0, dropped_ = 0;
};

}  // namespace peregrine::data
