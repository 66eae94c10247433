#include "data/async_writes.h"

#include <unistd.h>

#include <utility>

namespace peregrine::data {
namespace {

// What AIO left unwritten: it may stop short as write(2) does.
Result<> write_rest(int fd, std::span<const std::byte> bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno("cannot write the recording");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
  return {};
}

}  // namespace

AsyncWrites::AsyncWrites(std::size_t blocks) {
  while (blocks_.size() < blocks) blocks_.push_back(std::make_unique<Block>());
}

Result<> AsyncWrites::start(int fd, std::span<const iovec> pieces, u64 offset) {
  Block& block = *blocks_[next_];
  next_ = (next_ + 1) % blocks_.size();
  PEREGRINE_TRY(wait_for(block));
  block.bytes.clear();
  for (const iovec& piece : pieces) {
    const auto* bytes = static_cast<const std::byte*>(piece.iov_base);
    block.bytes.insert(block.bytes.end(), bytes, bytes + piece.iov_len);
  }
  *block.control = {};
  block.control->aio_fildes = fd;
  block.control->aio_buf = block.bytes.data();
  block.control->aio_nbytes = block.bytes.size();
  block.control->aio_offset = static_cast<off_t>(offset);
  block.control->aio_sigevent.sigev_notify = SIGEV_NONE;
  if (::aio_write(block.control.get()) != 0) {
    if (errno != EAGAIN) return fail_errno("cannot write the recording");
    return write_rest(fd, block.bytes, static_cast<off_t>(offset));
  }
  block.under_way = true;
  return {};
}

// Waits for the end of a write, and tells its errno.
int AsyncWrites::error_of_ended(Block& block) {
  int error = 0;
  while ((error = ::aio_error(block.control.get())) == EINPROGRESS) {
    const aiocb* waiting[] = {block.control.get()};
    if (::aio_suspend(waiting, 1, nullptr) != 0 && errno != EINTR && errno != EAGAIN) return errno;
  }
  return error;
}

AsyncWrites::~AsyncWrites() {
  for (auto& block : blocks_) {
    if (block->under_way) error_of_ended(*block);
  }
}

Result<> AsyncWrites::wait_for(Block& block) {
  if (!std::exchange(block.under_way, false)) return {};
  const int error = error_of_ended(block);
  const ssize_t written = ::aio_return(block.control.get());
  if (error != 0) return fail_errno("cannot write the recording", error);
  const auto done = static_cast<std::size_t>(written);
  return write_rest(block.control->aio_fildes, std::span(block.bytes).subspan(done),
                    block.control->aio_offset + written);
}

Result<> AsyncWrites::wait() {
  Result<> result;
  for (auto& block : blocks_) {
    if (auto done = wait_for(*block); !done && result) result = std::move(done);
  }
  return result;
}

}  // namespace peregrine::data
