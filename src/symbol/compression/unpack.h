// Unpacker: detects gzip, xz, zstd and bzip2 by their magic bytes and decompresses in chunks.
//
// Used for kernel modules (.ko.xz), .gnu_debugdata and archives. Input is untrusted: invalid data is Malformed, and
// callers that decompress into memory set a size limit. Concatenated streams are read as one.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Zlib and Deflate have no magic; the caller must know the format.
enum class Packing { None, Gzip, Xz, Zstd, Bzip2, Zlib, Deflate };
// By the first kPackedBytes (base/file/content_kind.h) of a file.
Packing packing_of(Bytes start);

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // `name` is used in errors. Packing::None copies.
  static Result<std::unique_ptr<Unpacker>> make(Packing packing, std::string_view name);

  struct Step {
    std::size_t taken = 0, given = 0;
    bool ended = false;  // end of a stream; another may follow
  };
  virtual Result<Step> step(Bytes packed, std::span<std::byte> out) = 0;
};

// Decompresses all of `packed`. Malformed if it is invalid, truncated or larger than `limit`.
Result<std::vector<std::byte>> unpack(Bytes packed, std::string_view name, std::size_t limit);

// Exactly `size` bytes, as the metadata claims; Malformed if the data yields fewer or more.
Result<std::vector<std::byte>> unpack_to_size(Packing packing, Bytes packed, std::string_view name, u64 size);

// Reads a possibly compressed file sequentially.
class UnpackedFile {
 public:
  static Result<UnpackedFile> open(const std::string& path);
  // Uses pread, so the descriptor's file position is irrelevant. `name` is used in errors.
  static Result<UnpackedFile> from_fd(Fd fd, std::string name);
  // read() fails with Malformed after `most` bytes.
  void set_limit(u64 most) { most_ = most; }
  u64 given() const { return given_; }
  // Returns fewer bytes than requested only at the end.
  Result<std::size_t> read(std::span<std::byte> out);

 private:
  Result<> fill();
  UnpackedFile(Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)), buffer_(kBuffer) {}
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;

  Fd fd_;
  std::string name_;
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // bytes of buffer_ not yet decompressed
  u64 at_ = 0;                       // file offset of the next read
  u64 given_ = 0, most_ = ~u64{0};   // decompressed bytes so far, and their limit
  bool between_ = true;              // not inside a stream
};

}  // namespace peregrine
