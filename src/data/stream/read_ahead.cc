#include "data/stream/read_ahead.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace peregrine::data {

ReadAhead::ReadAhead(int fd, u64 at, u64 end, std::size_t capacity)
    : fd_(fd), capacity_(capacity), at_(at), end_(std::max(at, end)) {
  for (std::size_t i = 0; i < kBlocks; ++i) spares_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity));
  thread_ = std::thread([this] { work(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ReadAhead::Block ReadAhead::next(std::unique_ptr<std::byte[]> spare) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || failure_; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  if (ready_.front().size == 0) return {.offset = ready_.front().offset, .error = ready_.front().error};
  Block block = std::move(ready_.front());
  ready_.pop_front();
  spares_.push_back(std::move(spare));
  lock.unlock();
  changed_.notify_all();
  return block;
}

void ReadAhead::work() {
  try {
    read_blocks();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  changed_.notify_all();
}

void ReadAhead::read_blocks() {
  for (;;) {
    std::unique_ptr<std::byte[]> memory;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !spares_.empty(); });
      if (stopping_) return;
      memory = std::move(spares_.back());  // the most recently used one, which may still be cached
      spares_.pop_back();
    }
    Block block = read(std::move(memory));
    at_ += block.size;
    const bool last = block.size == 0;
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(block));
    }
    changed_.notify_all();
    if (last) return;
  }
}

ReadAhead::Block ReadAhead::read(std::unique_ptr<std::byte[]> memory) const {
  Block block{.memory = std::move(memory), .offset = at_};
  const std::size_t wanted = static_cast<std::size_t>(std::min<u64>(capacity_ - kMargin, end_ - at_));
  while (block.size < wanted) {
    const ssize_t got = ::pread(fd_, block.memory.get() + kMargin + block.size, wanted - block.size,
                                static_cast<off_t>(at_ + block.size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) block.error = errno;
    if (got <= 0) break;
    block.size += static_cast<std::size_t>(got);
  }
  return block;
}

}  // namespace peregrine::data
