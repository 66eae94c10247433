#include "pipeline/recording/output/disk_sync.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/concurrency/all_signals_held.h"
#include "base/result.h"

namespace peregrine {

namespace {

// fsync() gives these for devices and read-only file systems, where there is nothing to sync.
bool is_failure(int error) { return error != EINVAL && error != EROFS; }

}  // namespace

Result<std::unique_ptr<DiskSync>> DiskSync::start(std::span<const int> files, std::string name, SyncCall call) {
  std::unique_ptr<DiskSync> sync(new DiskSync(std::move(name), call));
  for (const int file : files) {
    sync->files_.emplace_back(::fcntl(file, F_DUPFD_CLOEXEC, 0));
    if (!sync->files_.back()) return fail_errno("cannot duplicate a file descriptor");
  }
  const AllSignalsHeld held;
  sync->thread_ = std::thread([raw = sync.get()] { raw->work(); });
  return sync;
}

DiskSync::~DiskSync() { join(); }

void DiskSync::join() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Result<> DiskSync::finish() {
  join();
  if (first_error_ == 0) return {};
  return fail_errno(fmt::format("{}: cannot flush the recording to disk", name_), first_error_);
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
    for (const Fd& file : files_)
      if (sync_(file.get()) != 0 && first_error_ == 0 && is_failure(errno)) first_error_ = errno;
    lock.lock();
  }
}

}  // namespace peregrine
