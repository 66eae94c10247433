// FailureMark: remembers that something failed for a reason the caller could not be told at the time.
//
// For const objects that many threads read from and that may be moved: set() and is_set() may run at the same time.
#pragma once
#include <atomic>
#include <memory>

namespace peregrine {

class FailureMark {
 public:
  void set() const { *failed_ = true; }
  bool is_set() const { return failed_ && *failed_; }  // false once it was moved from

 private:
  std::unique_ptr<std::atomic<bool>> failed_ = std::make_unique<std::atomic<bool>>(false);
};

}  // namespace peregrine
