// Fd: an owned file descriptor, and the few whole-file reads that /proc, /sys and tests need.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

// Calls open(2) with O_CLOEXEC. The error names the path.
Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0);

// Reads a descriptor to its end. More than `limit` bytes are an error (Malformed).
Result<std::string> read_all(int fd, std::string_view what, std::size_t limit = std::size_t{1} << 32);
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// Writes all bytes, retrying after short writes and EINTR.
Result<> write_all(int fd, const void* bytes, std::size_t size);
// Writes all bytes at `offset`. The error starts with `what`.
Result<> pwrite_all(int fd, const void* bytes, std::size_t size, u64 offset, std::string_view what);
// Reads exactly `size` bytes at `offset`. Returns the number read, which is smaller only at the end of the file.
Result<std::size_t> pread_full(int fd, void* bytes, std::size_t size, u64 offset);
// Reads exactly `size` bytes from a stream. Returns the number read, which is smaller only at the end.
Result<std::size_t> read_full(int fd, void* bytes, std::size_t size);

}  // namespace peregrine
