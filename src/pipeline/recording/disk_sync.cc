#include "pipeline/recording/disk_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/all_signals_held.h"

namespace peregrine {

Result<std::unique_ptr<DiskSync>> DiskSync::start(std::span<const int> files) {
  std::unique_ptr<DiskSync> sync(new DiskSync);
  for (const int file : files) {
    sync->files_.emplace_back(::fcntl(file, F_DUPFD_CLOEXEC, 0));
    if (!sync->files_.back()) return fail_errno("cannot duplicate a file descriptor");
  }
  const AllSignalsHeld held;
  sync->thread_ = std::thread([raw = sync.get()] { raw->work(); });
  return sync;
}

DiskSync::~DiskSync() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void DiskSync::request() {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

void DiskSync::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || ended_; });
    if (ended_) return;
    wanted_ = false;
    lock.unlock();
    for (const Fd& file : files_) static_cast<void>(::fdatasync(file.get()));
    lock.lock();
  }
}

}  // namespace peregrine
