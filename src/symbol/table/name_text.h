// NameText: NUL-terminated names, addressed by offset, in memory or left in the file.
//
// A recording uses a few thousand of a large library's hundred thousand names: a pread per name is cheaper than keeping
// all in memory. The file stays open, so a replaced file at the same path is not read by mistake. Const functions are
// thread safe.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/file/failure_mark.h"
#include "base/types.h"

namespace peregrine {

class NameText {
 public:
  NameText() = default;
  explicit NameText(std::string text) : memory_(std::move(text)), size_(memory_.size()) {}
  // The `size` bytes at `offset` in `fd`, which is duplicated. The result is not valid() if that fails or descriptors
  // are scarce.
  static NameText in_file(int fd, u64 offset, u64 size);

  bool valid() const { return size_ == memory_.size() || file_; }
  u64 size() const { return size_; }
  // Up to the next NUL; empty if `place` is out of range or the file can no longer be read.
  std::string at(u64 place) const;
  // Whether reading a name failed; at() then returned an empty one.
  bool read_failed() const { return read_failed_.is_set(); }
  int read_error() const { return read_failed_.error(); }  // its errno
  // An in-memory copy, for callers that read all names.
  NameText loaded() const;
  std::size_t memory_bytes() const { return memory_.capacity(); }

 private:
  std::string memory_;
  Fd file_;
  u64 offset_ = 0;
  u64 size_ = 0;
  FailureMark read_failed_;
};

}  // namespace peregrine
