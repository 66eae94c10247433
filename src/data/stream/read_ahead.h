// ReadAhead: a thread that reads a span of a file in order, a few blocks ahead of the code that splits it into records.
//
// Copying a file from the page cache takes a third of the time of a short script; on another core it takes no extra
// time. Buffers are swapped: next() takes over a block's buffer and provides another one for a later block. A block
// starts kMargin bytes into its buffer, so that the start of a record from the previous block fits in front. Not
// thread safe.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/types.h"

namespace peregrine::data {

class ReadAhead {
 public:
  static constexpr std::size_t kMargin = std::size_t{1} << 16;  // no record is longer
  static constexpr std::size_t kBlocks = 16;  // of 256 kB: fewer slow script down by 10 %, more only cost memory

  struct Block {
    std::unique_ptr<std::byte[]> memory;
    u64 offset = 0;        // in the file, of the byte at kMargin
    std::size_t size = 0;  // 0: end of the span or file
    int error = 0;         // errno of the failed read; the bytes before it are valid
  };

  // Reads [at, end) of `fd`, which must stay open, into blocks of `capacity` bytes including the margin.
  ReadAhead(int fd, u64 at, u64 end, std::size_t capacity);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits for the next block. `spare` is an unused buffer of `capacity` bytes. If the thread threw, rethrows its
  // exception after the blocks that it had read.
  Block next(std::unique_ptr<std::byte[]> spare);

 private:
  void work();
  void read_blocks();
  Block read(std::unique_ptr<std::byte[]> memory) const;

  const int fd_;
  const std::size_t capacity_;
  u64 at_;  // used only by the thread
  const u64 end_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<std::byte[]>> spares_;
  std::deque<Block> ready_;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace peregrine::data
