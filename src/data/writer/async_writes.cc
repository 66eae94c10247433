#include "data/writer/async_writes.h"

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/fd.h"

namespace peregrine::data {
namespace {

constexpr std::string_view kRefused = "cannot write the recording";

}  // namespace

AsyncWrites::AsyncWrites(std::size_t blocks) : blocks_(blocks) {}

Result<> AsyncWrites::start(int fd, std::span<const iovec> pieces, u64 offset) {
  Block& block = blocks_[next_];
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
    if (errno != EAGAIN) return fail_errno(kRefused);
    return pwrite_all(fd, block.bytes.data(), block.bytes.size(), offset, kRefused);
  }
  block.under_way = true;
  return {};
}

// Waits until a write has ended and returns its errno.
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
    if (block.under_way) error_of_ended(block);
  }
}

Result<> AsyncWrites::wait_for(Block& block) {
  if (!std::exchange(block.under_way, false)) return {};
  const int error = error_of_ended(block);
  const ssize_t written = ::aio_return(block.control.get());
  if (error != 0) return fail_errno(kRefused, error);
  // AIO may write less than requested, as write(2) may.
  const auto done = static_cast<std::size_t>(written);
  return pwrite_all(block.control->aio_fildes, block.bytes.data() + done, block.bytes.size() - done,
                    static_cast<u64>(block.control->aio_offset + written), kRefused);
}

Result<> AsyncWrites::wait() {
  Result<> result;
  for (auto& block : blocks_) {
    if (auto done = wait_for(block); !done && result) result = std::move(done);
  }
  return result;
}

}  // namespace peregrine::data
