// Unpacker: gzip, xz, zstd and bzip2 told apart by their first bytes and unpacked piece by piece.
//
// For kernel modules (.ko.xz), .gnu_debugdata and archives. Input is untrusted: what cannot be unpacked is Malformed,
// and a caller that wants all of it in memory says how much it accepts. Several streams one after the other are one.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

// Zlib and Deflate have no mark: who has such data knows it.
enum class Packing { None, Gzip, Xz, Zstd, Bzip2, Zlib, Deflate };
inline constexpr std::size_t kPackingMark = 6;  // bytes that packing_of() wants to see
Packing packing_of(Bytes start);

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // `name` is for errors. Packing::None copies.
  static Result<std::unique_ptr<Unpacker>> make(Packing packing, std::string_view name);

  struct Step {
    std::size_t taken = 0, given = 0;
    bool ended = false;  // at the end of a stream: another may follow
  };
  virtual Result<Step> step(Bytes packed, std::span<std::byte> out) = 0;
};

// The whole of `packed`; Malformed when it is broken, cut off or larger than `limit`.
Result<std::vector<std::byte>> unpack(Bytes packed, std::string_view name, std::size_t limit);

// Exactly `size` bytes, as something beside the data says; Malformed when it holds fewer or more.
Result<std::vector<std::byte>> unpack_to_size(Packing packing, Bytes packed, std::string_view name, u64 size);

// A file read through its packing, from its start to its end.
class UnpackedFile {
 public:
  static Result<UnpackedFile> open(const std::string& path);
  // Read with pread, so that the descriptor's own position does not matter. `name` is for errors.
  static Result<UnpackedFile> from_fd(Fd fd, std::string name);
  // Malformed, once the file has given more than `most` bytes.
  void set_limit(u64 most) { most_ = most; }
  u64 given() const { return given_; }
  // Fewer bytes than asked for only at the end.
  Result<std::size_t> read(std::span<std::byte> out);

 private:
  Result<> fill();
  UnpackedFile(Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)), buffer_(kBuffer) {}
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;

  Fd fd_;
  std::string name_;
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read and not yet unpacked
  u64 at_ = 0;                       // of the next byte to read
  u64 given_ = 0, most_ = ~u64{0};   // unpacked so far
  bool between_ = true;              // no stream has been begun that has not ended
};

}  // namespace peregrine
