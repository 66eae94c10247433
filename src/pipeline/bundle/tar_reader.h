// TarReader: the members of a tar archive one after the other, unpacked on the way when it is compressed.
//
// Plain ustar with GNU long names and pax paths: what tar(1) writes. Every header's checksum is verified, every size
// bounded; a name of more than 4,095 bytes is Malformed. Names come from strangers: whoever writes a member to a file
// chooses the place.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "symbol/compression/unpack.h"

namespace peregrine {

struct TarMember {
  std::string name;
  u64 size = 0;
  bool regular = false;  // a file; all else (folders, links, devices) has nothing to read
};

class TarReader {
 public:
  // Malformed when it does not begin like a tar archive.
  static Result<TarReader> open(const std::string& path);
  static Result<TarReader> from_fd(Fd fd, const std::string& name);

  // How many bytes the whole archive may unpack to, names and skipped members included; more is Malformed.
  void set_limit(u64 most) { file_.set_limit(most); }
  u64 unpacked() const { return file_.given(); }

  // The next member; false at the end of the archive. What is left of the one before is skipped.
  Result<bool> next(TarMember& member);
  // The contents of the member that next() gave, in pieces; empty at its end. Valid until the next call.
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
  std::vector<std::byte> first_;  // the block that open() looked at
  u64 left_ = 0;                  // of the member's contents
  u64 padding_ = 0;               // behind it
};

// Whether a file begins like one, packed or not: a look at its first block.
bool is_tar(int fd, const std::string& name);

}  // namespace peregrine
