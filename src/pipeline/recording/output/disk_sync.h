// DiskSync: writes a recording's files to disk while recording (record --sync).
//
// fdatasync(2) can take long while rings fill up, so a thread calls it. request() never waits; requests during a sync
// are combined into one more. finish() returns the first error: the kernel reports a failed write-back once per open
// file description, which the duplicated descriptors share with the recording's, so its final fsync(2) may succeed
// although data was lost.
#pragma once
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class DiskSync {
 public:
  // fdatasync(2), or a test's replacement.
  using SyncCall = int (*)(int fd);

  // Duplicates the descriptors; errors start with `name`.
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
  int first_error_ = 0;  // owned by the thread until joined
  std::thread thread_;
};

}  // namespace peregrine
