// DiskSync: brings the files of a recording to the disk while it goes on (record --sync).
//
// fdatasync(2) may take long, and rings fill meanwhile: a thread does it. request() never waits, and requests that come
// while one is carried out become one more. Errors are found again by the sync at the end of the recording.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace peregrine {

class DiskSync {
 public:
  // The descriptors are duplicated.
  static Result<std::unique_ptr<DiskSync>> start(std::span<const int> files);
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;
  ~DiskSync();  // after what is under way

  void request();

 private:
  DiskSync() = default;
  void work();

  std::vector<Fd> files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace peregrine
