// SmiFreeze: stops the cores' counters in system management mode (the cpu PMU's freeze_on_smi), so that APERF minus
// the counted cycles is the time spent there. The destructor restores the previous setting.
#pragma once
#include <optional>
#include <string>

#include "sys/kernel/ownership_record.h"

namespace peregrine {

class SmiFreeze {
 public:
  // Errors: Unsupported, the kernel or the CPU has no such switch; Denied.
  static Result<SmiFreeze> engage(const Root& root);
  SmiFreeze(SmiFreeze&& other) noexcept : path_(std::move(other.path_)), record_(std::move(other.record_)) {
    other.path_.clear();
  }
  SmiFreeze& operator=(SmiFreeze&&) = delete;
  ~SmiFreeze();

 private:
  explicit SmiFreeze(std::string path) : path_(std::move(path)) {}
  std::string path_;  // to be switched off again; empty when it was on already
  std::optional<OwnershipRecord> record_;
};

// Switches it off and settles the record of a dead owner; false when the record is of something else.
bool undo_abandoned_freeze(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
