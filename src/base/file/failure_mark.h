// FailureMark: remembers the errno of a failure that could not be returned at the time.
//
// For const objects shared by several threads, which may be moved. set() and error() are thread safe.
#pragma once
#include <atomic>
#include <memory>

namespace peregrine {

class FailureMark {
 public:
  void set(int error_number) const { *failed_ = error_number; }
  int error() const { return failed_ ? failed_->load() : 0; }  // 0: no failure, or moved from
  bool is_set() const { return error() != 0; }

 private:
  std::unique_ptr<std::atomic<int>> failed_ = std::make_unique<std::atomic<int>>(0);
};

}  // namespace peregrine
