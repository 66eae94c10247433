// NameText: names that end with NUL, one behind the other, found by their place. In memory, or left in the file.
//
// A recording meets some thousand of the hundred thousand names that a large library has: those are worth a pread each,
// the others are not worth memory. The file stays open, so that what takes its path later is not mistaken for it.
// Const functions are thread safe.
#pragma once
#include <string>

#include "base/fd.h"
#include "base/file/failure_mark.h"

namespace peregrine {

class NameText {
 public:
  NameText() = default;
  explicit NameText(std::string text) : memory_(std::move(text)), size_(memory_.size()) {}
  // The `size` bytes at `offset` of a file of which `fd` is a descriptor; it is duplicated. Nothing is left in the file
  // when that fails, or when descriptors are scarce: then the result is not valid().
  static NameText in_file(int fd, u64 offset, u64 size);

  bool valid() const { return size_ == memory_.size() || file_; }
  u64 size() const { return size_; }
  // Up to the next NUL; empty when `place` is outside, or when the file cannot be read any more.
  std::string at(u64 place) const;
  // Whether the machine failed to read a name, which at() then gave as empty.
  bool read_failed() const { return read_failed_.is_set(); }
  int read_error() const { return read_failed_.error(); }  // errno of that
  // A copy in memory, for who walks through all names.
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
