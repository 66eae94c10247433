// AsyncWrites: writes to a file in the background (--aio), with POSIX AIO.
//
// start() copies the bytes into one of a few blocks and returns; it waits for the oldest block only if all are in use.
// The next call returns the error of an earlier write. Used by Writer. Not thread safe.
#pragma once
#include <aio.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {

class AsyncWrites {
 public:
  explicit AsyncWrites(std::size_t blocks);
  AsyncWrites(const AsyncWrites&) = delete;
  AsyncWrites& operator=(const AsyncWrites&) = delete;
  ~AsyncWrites();

  Result<> start(int fd, std::span<const iovec> pieces, u64 offset);
  // Waits until everything is written.
  Result<> wait();

 private:
  struct Block {
    std::unique_ptr<aiocb> control = std::make_unique<aiocb>();  // at a fixed address, which the kernel keeps
    std::vector<std::byte> bytes;
    bool under_way = false;
  };
  static Result<> wait_for(Block& block);
  static int error_of_ended(Block& block);

  std::vector<Block> blocks_;
  std::size_t next_ = 0;
};

}  // namespace peregrine::data
