// test_file: turns bytes into a descriptor or a pipe, and reads them. For tests in this room.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "data/reader/reader.h"

namespace peregrine::data {

inline Fd memory_file(Bytes bytes) {
  Fd fd(::memfd_create("test", MFD_CLOEXEC));
  if (!write_all(fd.get(), bytes.data(), bytes.size())) return {};
  return fd;
}

inline Result<Reader> read_bytes(Bytes bytes) { return Reader::open_fd(memory_file(bytes), "test"); }

// A pipe filled by a thread, `step` bytes at a time.
class FilledPipe {
 public:
  explicit FilledPipe(std::vector<std::byte> bytes, std::size_t step = 4096) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return;
    reading_ = Fd(ends[0]);
    writer_ = std::jthread([bytes = std::move(bytes), step, fd = ends[1]] {
      for (std::size_t at = 0; at < bytes.size(); at += step) {
        const Bytes part = Bytes(bytes).subspan(at, std::min(step, bytes.size() - at));
        if (!write_all(fd, part.data(), part.size())) break;
      }
      ::close(fd);
    });
  }
  Fd take() { return std::move(reading_); }

 private:
  Fd reading_;
  std::jthread writer_;
};

}  // namespace peregrine::data
