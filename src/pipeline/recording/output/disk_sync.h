// DiskSync: brings the files of a recording to the disk while it goes on (record --sync).
//
// fdatasync(2) may take long, and rings fill meanwhile: a thread does it. request() never waits, and requests that come
// while one is carried out become one more. finish() returns the first error: the kernel reports a failed write-back
// once for each open file description, and the descriptors share theirs with those of the recording, so that its last
// fsync(2) may succeed after data were lost.
#pragma once
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace peregrine {

class DiskSync {
 public:
  // fdatasync(2), or what a test puts in its place.
  using SyncCall = int (*)(int fd);

  // The descriptors are duplicated; errors begin with `name`.
  static Result<std::unique_ptr<DiskSync>> start(std::span<const int> files, std::string name,
                                                 SyncCall sync = ::fdatasync);
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;
  ~DiskSync();  // waits for the sync in progress

  void request();
  // Waits for the sync in progress and ends the thread. Error (System): data did not reach the disk.
  Result<> finish();

 private:
  DiskSync(std::string name, SyncCall sync) : name_(std::move(name)), sync_(sync) {}
  void work();
  void join();

  std::string name_;
  SyncCall sync_;
  std::vector<Fd> files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, ended_ = false;
  int first_error_ = 0;  // of the thread, until it was joined
  std::thread thread_;
};

}  // namespace peregrine
