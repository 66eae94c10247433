// TarReader: reads the members of a tar archive one after another; decompresses it on the way.
//
// Supports what tar(1) writes: plain ustar, GNU long names and pax paths. Verifies the checksum of every header and
// limits every size; a name of more than 4,095 bytes is Malformed. Names are untrusted: callers must choose the paths
// of the files they write.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/compression/unpack.h"

namespace peregrine {

struct TarMember {
  std::string name;
  u64 size = 0;
  bool regular = false;  // a file; other members (folders, links, devices) have no contents
};

class TarReader {
 public:
  // Errors: Malformed if the file does not begin like a tar archive.
  static Result<TarReader> open(const std::string& path);
  static Result<TarReader> from_fd(Fd fd, const std::string& name);

  // Limits the unpacked size of the whole archive, with names and skipped members; beyond it the archive is Malformed.
  void set_limit(u64 most) { file_.set_limit(most); }
  u64 unpacked() const { return file_.given(); }

  // Moves to the next member and skips the rest of the current one. Returns false at the end of the archive.
  Result<bool> next(TarMember& member);
  // Returns the next piece of the current member, or an empty one at its end. Valid until the next call.
  Result<Bytes> read();

 private:
  TarReader(UnpackedFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}
  Result<bool> read_header(TarMember& member, char& type);
  Result<std::string> read_text(u64 size);
  Result<> skip_rest();
  Result<> fill(std::span<std::byte> out);

  UnpackedFile file_;
  std::string name_;
  std::vector<std::byte> piece_;
  std::vector<std::byte> first_;  // the block that open() has read
  u64 left_ = 0;                  // bytes of the member not read yet
  u64 padding_ = 0;               // padding after them
};

// Whether a file begins like a tar archive, compressed or not. Reads only its first block.
bool is_tar(int fd, const std::string& name);

}  // namespace peregrine
